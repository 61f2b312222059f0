#include "longrun/simulate/optimum.h"

#include "longrun/base/cancellation.h"
#include "longrun/decide/feasible_constraints.h"

namespace longrun {

KnownArms known_arms(const Bandit& bandit, Pulls horizon) {
  return {.arms = bandit.arm_count(), .horizon = horizon, .reward = [&bandit](Arm arm, Pulls pull) {
            // Checked here, so that solvers that read rewards need no check of their own.
            if (pull % kStepsPerCancellationCheck == 1) throw_if_cancelled();
            return bandit.arms[static_cast<std::size_t>(arm)].reward(pull);
          }};
}

Allocation optimal_allocation(const Bandit& bandit, Pulls horizon) {
  return best_allocation(known_arms(bandit, horizon));
}

Allocation optimal_allocation(const Bandit& bandit, Pulls horizon, const Constraints& constraints) {
  if (constraints.none()) return optimal_allocation(bandit, horizon);
  const FeasibleConstraints feasible = resolve_feasible(constraints, bandit.arm_count(), horizon);
  return feasible.feasibility->best_allocation(known_arms(bandit, horizon), feasible.resolved.least_pulls());
}

}  // namespace longrun
