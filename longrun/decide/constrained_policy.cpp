#include "longrun/decide/constrained_policy.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "longrun/base/input_error.h"

namespace longrun {
namespace {

FeasibleConstraints feasible_for(const PolicyChoice& policy, const Setting& setting, const Constraints& constraints) {
  check(setting);
  const bool planned = policy.entry().traits.needs_plan &&
                       std::ssize(setting.plan) == setting.arms;  // FollowPlan throws for other sizes
  return resolve_feasible(constraints, setting.arms, setting.horizon,
                          planned ? std::span<const Pulls>(setting.plan) : std::span<const Pulls>{});
}

Setting with_horizon(Setting setting, Pulls horizon) {
  setting.horizon = horizon;
  return setting;
}

}  // namespace

std::string_view name(PullCause cause) {
  switch (cause) {
    case PullCause::share:
      return "share";
    case PullCause::minimum:
      return "minimum";
    case PullCause::choice:
      break;
  }
  return "choice";
}

ConstrainedPolicy::ConstrainedPolicy(const PolicyChoice& policy, const Setting& setting, const Constraints& constraints)
    : ConstrainedPolicy(policy, setting, feasible_for(policy, setting, constraints)) {}

ConstrainedPolicy::ConstrainedPolicy(const PolicyChoice& policy, const Setting& setting,
                                     FeasibleConstraints constraints)
    : constraints_(std::move(constraints.resolved)),
      feasibility_(std::move(constraints.feasibility)),
      policy_(make_policy(policy, with_horizon(setting, constraints_.most_pulls()))),
      ledger_(setting),
      least_(constraints_.least_pulls()),
      owed_(least_.size(), 0),
      unavailable_now_(least_.size(), 0),
      missed_(least_.size(), 0) {}

std::span<const Arm> ConstrainedPolicy::next_round() {
  pulls_.clear();
  causes_.clear();
  if (done()) return pulls_;
  lapsed_ += feasibility_->lapsing(round_, gone());
  ++round_;
  if (saving_for_) {
    if (left() < 0 || !available(*saving_for_, round_)) return pulls_;
    pull(*saving_for_);
    saving_for_.reset();
  }
  while (const auto arm = decide()) {
    if (left() < 0) {
      saving_for_ = arm;
      break;
    }
    pull(*arm);
  }
  return pulls_;
}

void ConstrainedPolicy::observe(Arm arm, double reward) {
  policy_->observe(arm, reward);  // throws for arms that do not exist
  const bool decided_here = ledger_.in_flight(arm) > 0;
  const bool replaces = !decided_here && ledger_.any_in_flight();
  ledger_.settle(arm);
  if (decided_here) return;
  const RoundBudget& budget = constraints_.budget();
  count_as_missed(arm, budget.round_of(gone() + 1));
  spent_ += constraints_.cost(arm);
  if (replaces) {
    spent_ = 0;
    for (Arm each = 0; each < constraints_.arms(); ++each) spent_ += constraints_.cost(each) * ledger_.issued(each);
  }
  if (!saving_for_) round_ = std::max(round_, budget.round_of(gone() + 1) - 1);
}

void ConstrainedPolicy::set_unavailable(std::span<const Arm> arms) {
  std::vector<std::uint8_t> unavailable(unavailable_now_.size(), 0);
  for (const Arm arm : arms) {
    if (arm < 0 || arm >= constraints_.arms()) {
      throw InputError(fmt::format("arm {} is not one of 0..{}", arm, constraints_.arms() - 1));
    }
    unavailable[static_cast<std::size_t>(arm)] = 1;
  }
  unavailable_now_ = std::move(unavailable);
}

void ConstrainedPolicy::find_allowed() {
  for (std::size_t arm = 0; arm < least_.size(); ++arm) {
    owed_[arm] = least_[arm] == 0 ? 0 : std::max<Pulls>(0, least_[arm] - ledger_.issued(static_cast<Arm>(arm)));
  }
  feasibility_->find_allowed({.round = round_, .gone = gone(), .owed = owed_, .unavailable_now = unavailable_now_},
                             allowed_);
}

std::optional<Arm> ConstrainedPolicy::decide() {
  find_allowed();
  const auto payable = [this](Arm arm) { return constraints_.cost(arm) <= left(); };
  if (std::none_of(allowed_.begin(), allowed_.end(), payable)) return std::nullopt;
  if (const auto arm = forced()) allowed_.assign(1, *arm);
  std::span<const Pulls> costs;
  if (constraints_.costs_differ()) costs = constraints_.costs();
  const Arm arm = policy_->choose({.arms = allowed_, .costs = costs});
  ledger_.suggest(arm);
  spent_ += constraints_.cost(arm);
  return arm;
}

void ConstrainedPolicy::pull(Arm arm) {
  pulls_.push_back(arm);
  causes_.push_back(cause_);
  count_as_missed(arm, round_);
}

/// Adds the cost of a pull in `round` to the missed units of every arm that is unavailable then: an arm has no share of
/// the units that are spent while it is unavailable.
void ConstrainedPolicy::count_as_missed(Arm pulled, Pulls round) {
  if (!constraints_.has_shares()) return;  // saves O(arms) per pull
  for (Arm arm = 0; arm < constraints_.arms(); ++arm) {
    if (constraints_.share_pulls(arm) == 0) continue;
    const bool is_available = round == round_ ? available(arm, round) : constraints_.available(arm, round);
    if (!is_available) missed_[static_cast<std::size_t>(arm)] += constraints_.cost(pulled);
  }
}

std::optional<Arm> ConstrainedPolicy::forced() {
  cause_ = PullCause::share;
  if (const auto arm = most_urgent_share()) return arm;
  cause_ = PullCause::minimum;
  if (const auto arm = fewest_below_minimum()) return arm;
  cause_ = PullCause::choice;
  return std::nullopt;
}

std::optional<Arm> ConstrainedPolicy::most_urgent_share() const {
  if (!constraints_.has_shares()) return std::nullopt;
  std::optional<Arm> urgent;
  Pulls shortest_time = 0;
  for (const Arm arm : allowed_) {
    const Pulls next = ledger_.issued(arm) + 1;
    if (next > constraints_.share_pulls(arm)) continue;
    const Pulls now = spent_ - missed_[static_cast<std::size_t>(arm)];
    if (constraints_.share_release(arm, next) > now) continue;
    const Pulls time = constraints_.share_due(arm, next) - now;
    if (urgent && time >= shortest_time) continue;
    urgent = arm;
    shortest_time = time;
  }
  return urgent;
}

std::optional<Arm> ConstrainedPolicy::fewest_below_minimum() const {
  std::optional<Arm> fewest;
  for (const Arm arm : allowed_) {
    if (ledger_.issued(arm) >= constraints_.minimum_pulls(arm)) continue;
    if (!fewest || ledger_.issued(arm) < ledger_.issued(*fewest)) fewest = arm;
  }
  return fewest;
}

}  // namespace longrun
