#include "longrun/simulate/optimum.h"

#include <algorithm>

#include "longrun/base/cancellation.h"
#include "longrun/model/resolved_constraints.h"
#include "longrun/solve/constrained_allocation.h"
#include "longrun/solve/flow_allocation.h"

namespace longrun {

KnownArms known_arms(const Bandit& bandit, Pulls horizon) {
  return {.arms = bandit.arm_count(), .horizon = horizon, .reward = [&bandit](Arm arm, Pulls pull) {
            if (pull % kStepsPerCancellationCheck == 1)
              throw_if_cancelled();  // solvers that read rewards need not ask, then
            return bandit.arms[static_cast<std::size_t>(arm)].reward(pull);
          }};
}

Allocation optimal_allocation(const Bandit& bandit, Pulls horizon) {
  return best_allocation(known_arms(bandit, horizon));
}

namespace {

/// Where units lapse: what each period in which the same arms are there can give.
Allocation optimum_of_periods(const Bandit& bandit, const ResolvedConstraints& terms) {
  std::vector<Pulls> least(bandit.arms.size());
  for (Arm arm = 0; arm < terms.arms(); ++arm) least[static_cast<std::size_t>(arm)] = terms.least_pulls(arm);
  Periods periods;
  Pulls pulls = 0;
  for (const auto& [from, to] : terms.periods(1)) {
    std::vector<bool> there = terms.there(from);
    if (std::find(there.begin(), there.end(), true) == there.end()) continue;
    periods.pulls.push_back(terms.granted(to) - terms.granted(from - 1));
    periods.there.push_back(std::move(there));
    pulls += periods.pulls.back();
  }
  Allocation best = flow_allocation(known_arms(bandit, pulls), least, periods);
  best.horizon = terms.horizon();
  return best;
}

}  // namespace

Allocation optimal_allocation(const Bandit& bandit, Pulls horizon, const Constraints& constraints) {
  if (constraints.none()) return optimal_allocation(bandit, horizon);
  const ResolvedConstraints terms(constraints, bandit.arm_count(), horizon);
  if (terms.units_lapse()) return optimum_of_periods(bandit, terms);
  AllocationLimits limits;
  for (Arm arm = 0; arm < terms.arms(); ++arm) {
    limits.costs.push_back(terms.cost(arm));
    limits.least.push_back(terms.least_pulls(arm));
    limits.until.push_back(terms.granted(terms.last_round(arm)));
  }
  return constrained_allocation(known_arms(bandit, horizon), limits);
}

}  // namespace longrun
