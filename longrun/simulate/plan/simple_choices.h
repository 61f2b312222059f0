#pragma once

#include <memory>
#include <vector>

#include "longrun/base/types.h"
#include "longrun/decide/live_policy.h"

namespace longrun {

// Policies that read no rewards: the usual ways to allocate without a bandit algorithm. A plan compares with them.

/// Returns a policy that chooses all arms equally often from now on. Where it is restricted, it chooses the arm that it
/// has chosen least often.
std::unique_ptr<LivePolicy> make_equal_split(Arm arms);

/// Returns a policy that always chooses the first arm of `order`, or, where it is restricted, the first arm that is
/// allowed. `order` has every arm once.
std::unique_ptr<LivePolicy> make_fixed_choice(const std::vector<Arm>& order);

}  // namespace longrun
