#pragma once

#include <vector>

#include "longrun/base/types.h"
#include "longrun/solve/best_allocation.h"

namespace longrun {

/// What pull counts n_i are possible, one entry per arm: n_i >= least_i, and for every arm i
///   sum of cost_j n_j over all arms j with until_j <= until_i  <=  until_i.
/// `until` is the number of units there are to spend up to the last moment an arm can be pulled; for an arm that can be
/// pulled to the end that is the horizon.
struct AllocationLimits {
  std::vector<Pulls> costs;
  std::vector<Pulls> least;
  std::vector<Pulls> until;
};

/// max sum_i F_i(n_i) over those counts, for rewards >= 0. Exact:
/// - Where every pull costs the same: what must be pulled is taken off the curves, which keep their shape, and
/// best_allocation()
///   shares the rest. If the result is possible it is the optimum, for it is one of fewer constraints.
/// - Else by a dynamic program that adds arms in the order of their `until`: best_k(u), the most that the first k earn
///   with u units, for u up to until_k. O(arms * horizon^2) steps at worst.
/// `known.horizon` is in units; rewards must be known for as many pulls as those can buy. The limits must be possible.
/// Throws InputError where tables or steps are beyond reason.
Allocation constrained_allocation(const KnownArms& known, const AllocationLimits& limits);

/// The same by the dynamic program alone: the reference.
Allocation constrained_allocation_by_dynamic_program(const KnownArms& known, const AllocationLimits& limits);

}  // namespace longrun
