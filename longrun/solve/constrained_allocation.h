#pragma once

#include <vector>

#include "longrun/base/types.h"
#include "longrun/solve/best_allocation.h"

namespace longrun {

/// The pull counts n_i that are possible, one entry per arm: n_i >= least_i, and for every arm i
///   sum of cost_j n_j over all arms j with until_j <= until_i  <=  until_i.
/// until_i is the number of units granted up to the last round in which arm i is available; the horizon, if that is the
/// last round.
struct AllocationLimits {
  std::vector<Pulls> costs;
  std::vector<Pulls> least;
  std::vector<Pulls> until;
};

/// Returns the counts within the limits with the largest sum_i F_i(n_i), for rewards >= 0. Exact:
/// - If every pull costs the same, by best_allocation() with minima. If its result is possible, it is the optimum,
///   because it is optimal under fewer constraints.
/// - Else by a dynamic program that adds arms in the order of their `until`: best_k(u), the largest reward of the
///   first k arms with u units, for u up to until_k. O(arms * horizon^2) steps in the worst case.
/// `known.horizon` is in units; rewards must be known for as many pulls as those can buy. Throws InputError if no
/// counts are within the limits, if tables are too large, or if steps are too many.
Allocation constrained_allocation(const KnownArms& known, const AllocationLimits& limits);

/// Returns the same by the dynamic program alone: the reference for tests.
Allocation constrained_allocation_by_dynamic_program(const KnownArms& known, const AllocationLimits& limits);

}  // namespace longrun
