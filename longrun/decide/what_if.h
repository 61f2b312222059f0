#pragma once

#include <optional>
#include <vector>

#include "longrun/base/types.h"
#include "longrun/decide/constrained_policy.h"

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

/// Returns the rewards that would change the choice of `arm`, which has `pulls_so_far` pulls, or nullopt if no decision
/// is left after the supposed pulls. Their number is a tenth of the pulls so far, at least 1, because fewer hardly
/// change an estimate; 1 if observations are exact. Copies of the policy observe 17 different rewards from one end of
/// the scale to the other. Where two neighbours lead to different choices, bisection follows.
std::optional<WhatIf> what_if(const ConstrainedPolicy& state, Arm arm, Pulls pulls_so_far, bool exact);

}  // namespace longrun
