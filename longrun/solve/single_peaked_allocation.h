#pragma once

#include <span>
#include <vector>

#include "longrun/solve/allocation_table.h"

namespace longrun {

// Curves that rise (never falling) up to a peak and then fall (never rising); they need not be concave. F is then
// convex up to the peak and concave from the pull before the peak on, and adding an arm to the dynamic program takes
// about O(T log T) steps instead of O(T^2). The .cpp file explains how.

/// Returns the smallest curve that rises, then falls, and is nowhere below `rewards`.
std::vector<double> without_valleys(std::span<const double> rewards);

/// The place where a curve is furthest below the smallest single-peaked curve above it; depth 0 if all curves are
/// single-peaked.
struct Valley {
  Arm arm = 0;
  Pulls pull = 0;
  double depth = 0;
};
/// Returns the deepest valley of all curves.
Valley deepest_valley(const RewardTable& rewards);

/// Returns the pulls of a best allocation of the whole horizon. Exact for curves with their valleys filled and their
/// rewards rounded to multiples of at most 2^-60 T max|f|. The error is at most T (deepest valley) + 2^-60 T^2 max|f|:
/// with rewards up to 1 and no valleys 10^-10 at T = 10^4 and 10^-6 at T = 10^6, if every rounding error is the largest
/// possible.
std::vector<Pulls> single_peaked_allocation(const RewardTable& rewards);

/// Returns the same for every horizon; the values are the true rewards of the allocations.
AllocationsByHorizon single_peaked_allocations(const RewardTable& rewards);

}  // namespace longrun
