#pragma once

#include <algorithm>

namespace longrun {

/// Returns the reward, at most 1e290 in magnitude: the sum over the longest horizon, 10^12 pulls, is then finite.
inline double bounded_reward(double reward) {
  constexpr double kLargest = 1e290;
  return std::clamp(reward, -kLargest, kLargest);
}

}  // namespace longrun
