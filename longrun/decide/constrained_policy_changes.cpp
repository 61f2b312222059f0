// Changes of the problem while a policy under constraints decides: another arm, a larger budget, other constraints.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "longrun/base/input_error.h"
#include "longrun/decide/constrained_policy.h"

namespace longrun {

void ConstrainedPolicy::add_arm(const Constraints& constraints) {
  FeasibleConstraints feasible = resolved_for(constraints, constraints_.arms() + 1, constraints_.horizon());
  check_added_arm(feasible.resolved);
  policy_->add_arm();
  policy_->extend(std::max<Pulls>(0, feasible.resolved.most_pulls() - constraints_.most_pulls()));
  resize(feasible.resolved.arms());
  replace(std::move(feasible));
}

void ConstrainedPolicy::extend(const Constraints& constraints, Pulls units) {
  FeasibleConstraints feasible = resolved_for(constraints, constraints_.arms(), constraints_.horizon() + units);
  policy_->extend(feasible.resolved.most_pulls() - constraints_.most_pulls());
  // Where rounds are pulls, none grows: pulls beyond the budget, such as one whose void was undone, had rounds too.
  const bool last_round_grows = done() && !constraints_.rounds_are_pulls() &&
                                feasible.resolved.budget().granted(round_) > constraints_.budget().granted(round_);
  if (last_round_grows) --round_;  // it had fewer units than the others, and goes on
  replace(std::move(feasible));
}

void ConstrainedPolicy::check_added_arm(const ResolvedConstraints& constraints) const {
  const Arm added = constraints_.arms();
  const Pulls least = std::max(constraints.minimum_pulls(added), constraints.share_pulls(added, spent_));
  if (least == 0) return;
  double needed = static_cast<double>(least) * static_cast<double>(constraints.cost(added));
  for (Arm arm = 0; arm < added; ++arm) {
    const auto i = static_cast<std::size_t>(arm);
    const Pulls owed = std::max<Pulls>(0, least_[i] - issued_[i]);
    needed += static_cast<double>(owed) * static_cast<double>(constraints.cost(arm));
  }
  const Pulls left = constraints.horizon() - gone();
  if (needed > static_cast<double>(left)) {
    throw InputError(
        fmt::format("with this arm the minima and shares need {:.0f} units, but only {} are left", needed, left));
  }
}

void ConstrainedPolicy::resize(Arm arms) {
  const auto count = static_cast<std::size_t>(arms);
  issued_.resize(count, 0);
  unavailable_now_.resize(count, 0);
  missed_.resize(count, spent_);  // its share is one of the units spent from now on
  missed_now_.resize(count, spent_);
  share_from_.resize(count, 0);
}

FeasibleConstraints ConstrainedPolicy::resolved_for(const Constraints& constraints, Arm arms, Pulls horizon) const {
  FeasibleConstraints next = resolve_under_way(constraints, arms, horizon);
  if (!next.feasibility->obstacle(next.resolved.least_pulls(), {})) return next;
  // Constraints that were changed hold from then on, and may have been impossible from the start.
  ConstrainedPolicy trial = *this;
  trial.resize(arms);
  trial.replace(next);
  if (const auto obstacle = trial.obstacle({})) throw unmet(constraints, *obstacle);
  return next;
}

std::optional<std::string> ConstrainedPolicy::obstacle(const ScheduleWords& words) {
  find_owed();
  return feasibility_->obstacle(
      {.round = coming_round(), .gone = gone_by_then(), .owed = owed_, .unavailable_now = unavailable_now_}, words);
}

void ConstrainedPolicy::begin_shares(const ResolvedConstraints& next) {
  const Pulls last = coming_round() - 1;  // the last round that is over
  const Pulls kept = constraints_.budget().granted(last) - (gone_by_then() - committed());  // negative: of later rounds
  for (Arm arm = 0; arm < constraints_.arms(); ++arm) {
    const auto i = static_cast<std::size_t>(arm);
    const Pulls before = next.granted_while_available(arm, last);
    if (next.share(arm) == constraints_.share(arm)) {
      missed_now_[i] += before - constraints_.granted_while_available(arm, last);
      continue;
    }
    missed_[i] = spent_ - committed();
    share_from_[i] = issued_[i] - saved_for(arm);
    const Pulls all = next.granted_while_available(arm, rounds_);
    missed_now_[i] = all - (all == before ? 0 : std::max<Pulls>(0, all - before + kept));
  }
}

bool ConstrainedPolicy::choice_is_allowed() {
  const Arm choice = *saving_for_;
  const auto i = static_cast<std::size_t>(choice);
  --issued_[i];
  find_owed();
  ++issued_[i];
  feasibility_->find_allowed({.round = coming_round(),
                              .gone = gone_by_then() - committed(),
                              .owed = owed_,
                              .unavailable_now = unavailable_now_},
                             allowed_);
  return std::binary_search(allowed_.begin(), allowed_.end(), choice);
}

void ConstrainedPolicy::change(const Constraints& constraints, const ScheduleWords& words, Feasible feasible) {
  FeasibleConstraints next = resolve_under_way(constraints, constraints_.arms(), constraints_.horizon());
  ConstrainedPolicy changed = *this;
  changed.begin_shares(next.resolved);
  if (next.resolved.rounds_are_pulls() && !constraints_.rounds_are_pulls()) {  // rounds are a count of units again
    changed.lapsed_ = changed.gone_by_then() - changed.spent_;
    changed.round_ = std::min(changed.round_, changed.gone());
  }
  changed.replace(std::move(next));
  if (changed.saving_for_ && !changed.choice_is_allowed()) changed.release_choice();
  if (feasible == Feasible::checked) {
    if (const auto obstacle = changed.obstacle(words)) throw unmet(constraints, *obstacle);
  }
  *this = std::move(changed);
}

void ConstrainedPolicy::prepare_to_load(const Constraints& constraints, Arm arms, Pulls budget) {
  FeasibleConstraints now = resolve_under_way(constraints, arms, budget);
  for (Arm arm = constraints_.arms(); arm < arms; ++arm) policy_->add_arm();
  policy_->extend(std::max<Pulls>(0, now.resolved.most_pulls() - constraints_.most_pulls()));
  resize(arms);
  replace(std::move(now));
}

void ConstrainedPolicy::replace(FeasibleConstraints constraints) {
  constraints_ = std::move(constraints.resolved);
  feasibility_ = std::move(constraints.feasibility);
  derive();
}

}  // namespace longrun
