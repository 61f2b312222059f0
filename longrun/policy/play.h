#pragma once

#include <span>
#include <vector>

#include "longrun/base/types.h"
#include "longrun/model/world.h"

namespace longrun {

/// What came out of one run.
struct Outcome {
  std::vector<Pulls> pulls;
  double earned = 0;  ///< sum of the mean rewards of all pulls made
};

/// The hot loop: `horizon` decisions of `policy` in `world`. No virtual call, no allocation, no string per step. Where
/// `trace` is not empty, it receives the arm of every step.
template <class Policy>
Outcome play(World world, Policy policy, Pulls horizon, std::span<Arm> trace = {}) {
  for (Pulls step = 0; step < horizon; ++step) {
    const Arm arm = policy.choose();
    policy.observe(arm, world.pull(arm));
    if (!trace.empty()) trace[static_cast<std::size_t>(step)] = arm;
  }
  return {world.pulls(), world.earned()};
}

}  // namespace longrun
