#pragma once

#include <vector>

#include "longrun/solve/allocation_table.h"

namespace longrun {

// best_k(t) = max_m best_{k-1}(t - m) + F_k(m): the only method here that is correct for any curves.

/// Returns the number of sums that the dynamic program compares: for every horizon up to `horizon`, or for `horizon`
/// only.
double dynamic_program_steps(Arm arms, Pulls horizon, bool every_horizon);

/// Returns the pulls of a best allocation of the whole horizon.
std::vector<Pulls> dynamic_program_allocation(const RewardTable& rewards);

/// Returns the same for every horizon.
AllocationsByHorizon dynamic_program_allocations(const RewardTable& rewards);

}  // namespace longrun
