#pragma once

#include <vector>

#include "longrun/solve/allocation_table.h"

namespace longrun {

// best_k(t) = max_m best_{k-1}(t - m) + F_k(m): correct for any curves, and the only method here that is.

/// How many sums the dynamic program compares, for every horizon up to `horizon` or for that one alone.
double dynamic_program_steps(Arm arms, Pulls horizon, bool every_horizon);

/// The pulls of a best allocation of the whole horizon.
std::vector<Pulls> dynamic_program_allocation(const RewardTable& rewards);

AllocationsByHorizon dynamic_program_allocations(const RewardTable& rewards);

}  // namespace longrun
