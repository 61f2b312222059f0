#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "longrun/base/types.h"

namespace longrun {

/// f_arm(pull) at [arm][pull - 1]; every arm has as many pulls as the horizon.
using RewardTable = std::vector<std::vector<double>>;

/// F(0), F(1), ..., F(T): the total of the first n rewards.
std::vector<double> running_totals(std::span<const double> rewards);

/// Who gets what in a best allocation of any number of pulls, found by adding one arm after another.
struct AllocationTable {
  std::vector<Arm> order;  ///< in which the arms were added

  /// taken[k - 1][t]: what arm order[k] takes when order[0..k] share t pulls. The first arm takes what the others
  /// leave. The largest thing in memory, hence 32 bits.
  std::vector<std::vector<std::int32_t>> taken;

  /// The pulls of every arm when those added so far share `horizon` pulls; an arm not added yet has none.
  std::vector<Pulls> pulls(Pulls horizon) const;
};

/// A best allocation of every horizon t = 0..T, and the total reward it earns, exactly summed.
struct AllocationsByHorizon {
  AllocationTable table;
  std::vector<double> values;
};

}  // namespace longrun
