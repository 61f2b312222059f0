#include "longrun/decide/constrained_policy.h"

#include <fmt/format.h>

#include <numeric>

#include "longrun/base/cancellation.h"
#include "longrun/base/input_error.h"
#include "longrun/decide/ask_tell.h"

namespace longrun {
namespace {

ResolvedConstraints terms_for(const PolicyChoice& policy, const Setting& setting, const Constraints& constraints) {
  check(setting);
  ResolvedConstraints terms(constraints, setting.arms, setting.horizon);
  const bool planned =
      policy.entry().traits.needs_plan && std::ssize(setting.plan) == setting.arms;  // else the policy complains
  return planned ? terms.with_minimum(setting.plan) : terms;
}

Setting told(Setting setting, const ResolvedConstraints& terms) {
  setting.horizon = terms.most_pulls();
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
    : terms_(terms_for(policy, setting, constraints)),
      policy_(make_policy(policy, told(setting, terms_))),
      ledger_(setting),
      by_last_round_(static_cast<std::size_t>(setting.arms)),
      away_(by_last_round_.size(), 0),
      missed_(by_last_round_.size(), 0) {
  std::iota(by_last_round_.begin(), by_last_round_.end(), Arm{0});
  std::stable_sort(by_last_round_.begin(), by_last_round_.end(),
                   [this](Arm a, Arm b) { return terms_.last_round(a) < terms_.last_round(b); });
}

std::span<const Arm> ConstrainedPolicy::next_round() {
  pulls_.clear();
  causes_.clear();
  if (done()) return pulls_;
  if (terms_.units_lapse()) lapsed_ += std::max<Pulls>(0, left());
  ++round_;
  if (saving_for_) {
    if (left() < 0 || !there(*saving_for_, round_)) return pulls_;
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
  policy_->observe(arm, reward);  // refuses arms that do not exist
  const bool asked = ledger_.in_flight(arm) > 0;
  const bool replaces = !asked && ledger_.any_in_flight();
  ledger_.settle(arm);
  if (asked) return;
  count_as_missed(arm, terms_.round_of(spent_ + lapsed_ + 1));
  spent_ += terms_.cost(arm);
  if (replaces) {
    spent_ = 0;
    for (Arm each = 0; each < terms_.arms(); ++each) spent_ += terms_.cost(each) * ledger_.issued(each);
  }
  if (!saving_for_) round_ = std::max(round_, terms_.round_of(spent_ + lapsed_ + 1) - 1);
}

void ConstrainedPolicy::set_unavailable(std::span<const Arm> arms) {
  std::fill(away_.begin(), away_.end(), std::uint8_t{0});
  for (const Arm arm : arms) {
    if (arm < 0 || arm >= terms_.arms()) {
      throw InputError(fmt::format("arm {} is not one of 0..{}", arm, terms_.arms() - 1));
    }
    away_[static_cast<std::size_t>(arm)] = 1;
  }
}

std::optional<Arm> ConstrainedPolicy::decide() {
  find_allowed();
  const auto payable = [this](Arm arm) { return terms_.cost(arm) <= left(); };
  if (std::none_of(allowed_.begin(), allowed_.end(), payable)) return std::nullopt;
  if (const auto arm = forced()) allowed_.assign(1, *arm);
  const Arm arm =
      policy_->choose({.arms = allowed_, .costs = terms_.costs_differ() ? terms_.costs() : std::span<const Pulls>{}});
  ledger_.suggest(arm);
  spent_ += terms_.cost(arm);
  return arm;
}

void ConstrainedPolicy::pull(Arm arm) {
  pulls_.push_back(arm);
  causes_.push_back(cause_);
  count_as_missed(arm, round_);
}

/// Units spent while an arm with a share is away are no part of what it has a share of.
void ConstrainedPolicy::count_as_missed(Arm pulled, Pulls round) {
  if (!terms_.has_shares()) return;  // histories of many arms are long
  for (Arm arm = 0; arm < terms_.arms(); ++arm) {
    const bool is_there = round == round_ ? there(arm, round) : terms_.available(arm, round);
    if (terms_.share_pulls(arm) > 0 && !is_there) missed_[static_cast<std::size_t>(arm)] += terms_.cost(pulled);
  }
}

std::vector<ConstrainedPolicy::Due> ConstrainedPolicy::dues() const {
  std::vector<Due> result;
  Pulls needed = 0;
  for (const Arm arm : by_last_round_) {
    if (owed(arm) == 0) continue;
    needed += owed(arm) * terms_.cost(arm);
    const Pulls round = terms_.last_round(arm);
    if (result.empty() || result.back().round < round) result.push_back({.round = round, .spare = 0});
    result.back().spare = terms_.granted(round) - spent_ - needed;
  }
  return result;
}

void ConstrainedPolicy::find_allowed() {
  const std::vector<Due> all_due = dues();
  allowed_.clear();
  for (Arm arm = 0; arm < terms_.arms(); ++arm) {
    if (allowed(arm, all_due)) allowed_.push_back(arm);
  }
}

bool ConstrainedPolicy::allowed(Arm arm, std::span<const Due> dues) const {
  const Pulls cost = terms_.cost(arm);
  if (terms_.units_lapse()) {
    return cost <= left() && there(arm, round_) && (dues.empty() || leaves_minima_in_reach(arm));
  }
  if (cost > terms_.horizon() - spent_) return false;
  const Pulls paid_in = std::max(round_, terms_.round_of(spent_ + cost));
  if (!there(arm, paid_in)) return false;
  return std::all_of(dues.begin(), dues.end(), [&](const Due& due) {
    if (due.round < paid_in) return false;  // what is owed by then could not be pulled while units are saved
    const bool owed_by_then = owed(arm) > 0 && terms_.last_round(arm) <= due.round;
    return owed_by_then || cost <= due.spare;
  });
}

bool ConstrainedPolicy::leaves_minima_in_reach(Arm arm) const {
  std::vector<Pulls> lacking;
  lacking.reserve(away_.size());
  for (Arm each = 0; each < terms_.arms(); ++each) {
    lacking.push_back(each == arm ? std::max<Pulls>(0, owed(each) - 1) : owed(each));
  }
  return terms_.in_reach(lacking, round_, left() - terms_.cost(arm));
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
  std::optional<Arm> urgent;
  Pulls least_time = 0;
  for (const Arm arm : allowed_) {
    const Pulls next = ledger_.issued(arm) + 1;
    if (next > terms_.share_pulls(arm)) continue;
    const Pulls now = spent_ - missed_[static_cast<std::size_t>(arm)];
    if (terms_.share_release(arm, next) > now) continue;
    const Pulls time = terms_.share_due(arm, next) - now;
    if (urgent && time >= least_time) continue;
    urgent = arm;
    least_time = time;
  }
  return urgent;
}

std::optional<Arm> ConstrainedPolicy::fewest_below_minimum() const {
  std::optional<Arm> fewest;
  for (const Arm arm : allowed_) {
    if (ledger_.issued(arm) >= terms_.minimum_pulls(arm)) continue;
    if (!fewest || ledger_.issued(arm) < ledger_.issued(*fewest)) fewest = arm;
  }
  return fewest;
}

}  // namespace longrun
