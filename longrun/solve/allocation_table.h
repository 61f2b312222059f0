#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "longrun/base/types.h"

namespace longrun {

/// f_arm(pull) at [arm][pull - 1]; every arm has as many pulls as the horizon.
using RewardTable = std::vector<std::vector<double>>;

/// Returns F(0), F(1), ..., F(T), where F(n) is the total of the first n rewards.
std::vector<double> running_totals(std::span<const double> rewards);

/// The pulls of each arm in a best allocation of any number of pulls. It is built by adding one arm after another.
struct AllocationTable {
  std::vector<Arm> order;  ///< the order in which arms were added

  /// taken[k - 1][t]: the pulls of arm order[k] when order[0..k] share t pulls. The first arm takes what the others
  /// leave. 32 bits, because this is the largest table in memory.
  std::vector<std::vector<std::int32_t>> taken;

  /// Returns the pulls of every arm when those added so far share `horizon` pulls; an arm not added yet has none.
  std::vector<Pulls> pulls(Pulls horizon) const;
};

/// The best allocations of every horizon t = 0..T, and their total rewards, exactly summed.
struct AllocationsByHorizon {
  AllocationTable table;
  std::vector<double> values;
};

}  // namespace longrun
