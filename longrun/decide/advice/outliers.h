#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "longrun/decide/reward_scale.h"
#include "longrun/model/history.h"
#include "longrun/model/noise.h"

namespace longrun {

/// A reward so far from those of its arm before and after it that a mistake is more probable than chance.
struct Outlier {
  std::size_t pull = 0;  ///< its place in the history
  double reward = 0;
  double typical = 0;  ///< median of the rewards of its arm next to it
};

/// Returns the outliers of a history, in order: rewards more than 8 standard deviations above, or below, the medians
/// of the three rewards of their arm before and after them. The standard deviation is estimated by a median, so that
/// outliers do not hide themselves: that of all arms or that of their arm, whichever is larger. Rewards at the ends of
/// the scale do not count in it, because noise may be cut off there. A steep start, a sudden fall and growth are no
/// outliers: a first reward never is, and the last one only if it jumps up. If more than 1 of 50 rewards of all arms,
/// and more than one, would be outliers, none is: such noise has heavy tails, or the number stands for something else.
/// The same holds for the rewards of one arm. Neither is any if rewards are yes or no, or if the noise has bounds or
/// heavy tails by `noise`.
std::vector<Outlier> find_outliers(const History& history, const RewardScale& scale, const std::optional<Noise>& noise);

}  // namespace longrun
