#pragma once

#include <optional>
#include <vector>

#include "longrun/base/types.h"
#include "longrun/decide/constrained_policy.h"

namespace longrun {

/// The first pull of the next round, if the mean reward of the supposed pulls lies between `from` and `to`.
struct Consequence {
  double from = 0;
  double to = 1;
  Arm arm = 0;
};

/// What would change the choice: the arm that is chosen after `pulls` more pulls of `arm`, all with the same reward, as
/// a function of that reward.
struct WhatIf {
  Arm arm = 0;
  Pulls pulls = 0;
  std::vector<Consequence> consequences;  ///< ascending and without gaps, from one end of the scale to the other
};

/// Computes what would change the choice of `arm`, which has `pulls_so_far` pulls; nullopt if no decision follows. The
/// number of supposed pulls is a tenth of those so far, at least 1, because fewer hardly change an estimate; 1 if
/// observations are exact. Copies of the policy observe the rewards: 17 rewards from one end of the scale to the other,
/// then, where two neighbours lead to different choices, bisection.
std::optional<WhatIf> what_if(const ConstrainedPolicy& state, Arm arm, Pulls pulls_so_far, bool exact);

}  // namespace longrun
