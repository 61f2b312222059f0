#pragma once

#include "longrun/model/bandit.h"
#include "longrun/model/constraints.h"
#include "longrun/solve/best_allocation.h"

namespace longrun {

/// Returns the curves of a bandit in the form that the solvers take. `bandit` must outlive the result.
KnownArms known_arms(const Bandit& bandit, Pulls horizon);

/// Returns the exact optimum of a bandit whose curves are known: the reference of policy regret.
Allocation optimal_allocation(const Bandit& bandit, Pulls horizon);
/// Returns the exact optimum under constraints; the horizon is a budget, in units. Throws InputError for constraints
/// that no schedule meets.
Allocation optimal_allocation(const Bandit& bandit, Pulls horizon, const Constraints& constraints);

}  // namespace longrun
