#pragma once

#include <span>
#include <vector>

#include "longrun/decide/advice/arm_population.h"

namespace longrun {

/// The present mean reward of an arm by its newest rewards and those of all arms.
struct PooledReward {
  double mean = 0;
  double low = 0;   ///< the arm pays more with a probability of 90 %
  double high = 0;  ///< and less than this with the same
};

/// Returns the present mean reward of every arm, all of which have a reward. The mean of the newest rewards is drawn
/// towards those of the other arms, the more the noisier it is and the less the arms differ (empirical Bayes, Morris
/// 1983): the arm with the largest of many means has been lucky as well. So the range holds for an arm that is chosen
/// because of its mean, too. The variance between arms is that of the means less that of their noise; a prior counts as
/// two arms. One arm alone, and exact rewards, are not drawn anywhere. O(arms).
std::vector<PooledReward> pooled_rewards(std::span<const OwnEstimate> arms);

}  // namespace longrun
