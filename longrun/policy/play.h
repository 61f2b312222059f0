#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "longrun/base/interruption.h"
#include "longrun/base/types.h"
#include "longrun/model/world.h"

namespace longrun {

/// What came out of one run.
struct Outcome {
  std::vector<Pulls> pulls;
  double earned = 0;  ///< sum of the mean rewards of all pulls made
};

/// The hot loop: decisions of `policy` in `world` up to the last of the ascending `horizons`, with the outcome at each
/// of them. No virtual call, no allocation, no string per step. Where `trace` is not empty, it receives the arm of
/// every step.
template <class Policy>
std::vector<Outcome> play(World world, Policy policy, std::span<const Pulls> horizons, std::span<Arm> trace = {}) {
  std::vector<Outcome> outcomes;
  outcomes.reserve(horizons.size());
  Pulls step = 0;
  for (const Pulls horizon : horizons) {
    while (step < horizon) {
      leave_if_interrupted();
      for (const Pulls pause = std::min(horizon, step + kStepsUnasked); step < pause; ++step) {
        const Arm arm = policy.choose();
        policy.observe(arm, world.pull(arm));
        if (!trace.empty()) trace[static_cast<std::size_t>(step)] = arm;
      }
    }
    outcomes.push_back({world.pulls(), world.earned()});
  }
  return outcomes;
}

/// The same for one horizon.
template <class Policy>
Outcome play(World world, Policy policy, Pulls horizon, std::span<Arm> trace = {}) {
  return play(std::move(world), std::move(policy), std::span<const Pulls>(&horizon, 1), trace)[0];
}

}  // namespace longrun
