#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "longrun/decide/reward_scale.h"
#include "longrun/model/history.h"
#include "longrun/model/noise.h"

namespace longrun {

/// A reward so far from those of its arm before and after it that a mistake is more probable than chance.
struct Outlier {
  std::size_t pull = 0;  ///< its place in the history
  double reward = 0;
  double typical = 0;  ///< by the medians of the rewards of its arm before and after it; the nearer one of two levels
};

/// The rewards of a history that are far from those of their arm before and after them, each in order.
struct FarRewards {
  std::vector<Outlier> outliers{};  ///< so few that they are mistakes
  std::vector<Outlier> doubtful{};  ///< mistakes or not; at the beginning or end of their arm, or too many
};

/// Returns the rewards more than 8 standard deviations above, or below, the medians of the three rewards of their arm
/// before and after them. The standard deviation is estimated by a median, so that outliers do not hide themselves:
/// that of all arms or that of their arm, whichever is larger. Rewards at the ends of the scale do not count in it,
/// because noise may be cut off there. Where those medians are levels far apart, a reward is farther away than they are
/// from each other. If all rewards are positive, their logarithms must be far away as well, by 4.25 standard
/// deviations: noise of amounts is skewed. The distance must also be 2.6 times that of the farthest reward that is no
/// outlier, and 1.5 times at the ends of an arm: the largest errors of skewed noise, or of noise with heavy tails, are
/// followed by others. A steep start that growth follows, a sudden fall and steady growth are not
/// far: a high first reward, or a last one that is lower, is far only if the step is more than eight times the next one
/// as well, and is doubtful even then, because an arm may begin or go on so. Two or three first or last rewards that
/// are all far above those next to them, or all far below, are doubtful as well: the arm may have jumped. If more than
/// 1 of 20 rewards of an arm, and more than two, would be outliers, those of the arm are doubtful; if more than 1 of 50
/// rewards of all arms, and more than one, would be, all are: such noise has heavy tails, or the number stands for
/// something else. No reward is far if rewards are yes or no, or if the noise has bounds or heavy tails by `noise`.
FarRewards find_far_rewards(const History& history, const RewardScale& scale, const std::optional<Noise>& noise);

/// Returns the history with typical rewards in place of outliers.
History cleaned(History history, std::span<const Outlier> outliers);

}  // namespace longrun
