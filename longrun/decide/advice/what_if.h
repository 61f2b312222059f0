#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "longrun/base/types.h"
#include "longrun/decide/constrained_policy.h"
#include "longrun/decide/study/study.h"

namespace longrun {

/// A range of supposed rewards, `from` to `to`, and the arm that is chosen after them.
struct Consequence {
  double from = 0;
  double to = 1;
  Arm arm = 0;
};

/// The arm that is chosen after `pulls` more pulls of `arm`, all with the same reward, as a function of that reward.
struct WhatIf {
  Arm arm = 0;
  Pulls pulls = 0;
  std::vector<Consequence> consequences;  ///< ascending and without gaps, from one end of the scale to the other
};

/// Returns whether outliers and misfits are judged again with every supposed reward, of about 40, after so many pulls
/// of so many arms: where that takes about a second or less. Else rewards so far count as they do before the supposed
/// pulls.
constexpr bool is_judged_again(Pulls pulls, Arm arms) {
  constexpr Pulls kMost = 20'000;      // pulls of two arms take 0.3 seconds
  constexpr Pulls kPullsOfAnArm = 10;  // an arm, with its own pulls, takes at least as long as so many pulls
  return pulls + kPullsOfAnArm * arms <= kMost;
}

/// The largest number of arms for which the rewards that would change the choice after a history are found: the state
/// of all arms is copied, and their indices computed, for every supposed reward.
inline constexpr Arm kMostArmsOfWhatIf = 10'000;

/// A function that returns the state after the supposed pulls, each with this reward on the scale from 0 to 1.
using SupposedState = std::function<ConstrainedPolicy(double reward)>;

/// Returns how many pulls of an arm with `pulls_so_far` pulls are supposed: a tenth of the pulls so far, at least 1,
/// because fewer hardly change an estimate; 1 if observations are exact; 0 if no decision would be left after them.
Pulls supposed_pulls(const ConstrainedPolicy& state, Arm arm, Pulls pulls_so_far, bool exact);

/// Returns the rewards of `pulls` >= 1 supposed pulls of `arm` that would change the choice, or nullopt if no decision
/// is left after them. `state` is computed for 17 different rewards from one end of the scale to the other. Where two
/// neighbours lead to different choices, bisection follows.
std::optional<WhatIf> what_if(Arm arm, Pulls pulls, const SupposedState& state);

/// Returns the same for a study, found by what it does: copies of it decide, the decisions for `arm` get the supposed
/// reward, all others stay pending, and the copies decide again. `arm` is the first arm of the next decision. Under
/// constraints the pulls are those of `arm` in the next round. Else they are as few as can change the choice, and at
/// most as many as above, so that `arm` is what the study chooses until then, whatever the reward is. Returns nullopt
/// as well if decisions for `arm` are pending: their outcomes come first.
std::optional<WhatIf> what_if(const Study& study, Arm arm, Pulls pulls_so_far, bool exact);

}  // namespace longrun
