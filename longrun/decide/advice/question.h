#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "longrun/base/input_error.h"
#include "longrun/base/types.h"
#include "longrun/decide/reward_scale.h"
#include "longrun/model/constraints.h"
#include "longrun/model/history.h"
#include "longrun/model/noise.h"
#include "longrun/policy/catalog.h"

namespace longrun {

/// The input of a recommendation: past pulls and the conditions of the next one.
struct Question {
  History history;
  Pulls horizon = 1;             ///< total number of pulls, those of the history included; under constraints, units
                                 ///< of 10^-constraints.unit_decimals
  std::optional<Noise> noise{};  ///< noise of rewards on the scale from 0 to 1; nullopt: estimated from the history
  std::string policy{kDefaultPolicy};  ///< the policy that decides; the estimates are always those of kDefaultPolicy
  Constraints constraints{};
  std::vector<Arm> unavailable_now{};  ///< unavailable arms, in addition to those of the constraints
  RewardScale scale{};                 ///< scale of the history's rewards and of all rewards in the answer
  bool keep_outliers = false;          ///< whether rewards that look like mistakes count as they are
  std::uint64_t seed = 0;              ///< seed of randomized policies
};

/// Returns the question with the constraints that define units and rounds only. A study under way has the others in its
/// state: they may have been changed, and then need not be possible from the start.
Question without_minima(Question question);

/// The error for a reward of a history that was not read from a file.
class PastRewardError : public InputError {
 public:
  PastRewardError(std::size_t pull, const std::string& problem) : InputError(problem), pull_(pull) {}

  std::size_t pull() const { return pull_; }  ///< its place in the history, from 0

 private:
  std::size_t pull_;
};

/// Throws InputError for an invalid scale or noise, an arm that does not exist, a reward that is not finite, and an arm
/// whose mean reward is so far outside the scale that noise cannot be the reason. Names the line of the pull; if that
/// is not known, the error is a PastRewardError. recommend() calls it.
void check_rewards(const Question& question);

/// Throws InputError if successive rewards of an arm, at least 8 and at least a quarter of them, average so far outside
/// the scale that noise cannot be the reason. A study accepts such rewards one by one, so only whole histories are
/// checked.
void check_means(const Question& question);

}  // namespace longrun
