#include "longrun/simulate/play_constrained.h"

#include "longrun/base/cancellation.h"
#include "longrun/decide/constrained_policy.h"

namespace longrun {

RunResult play_constrained(World world, const PolicyChoice& policy, const Setting& setting,
                           const Constraints& constraints, std::vector<RoundPull>* trace) {
  ConstrainedPolicy constrained(policy, setting, constraints);
  while (!constrained.done()) {
    throw_if_cancelled();
    for (const Arm arm : constrained.next_round()) {
      constrained.observe(arm, world.pull(arm));
      if (trace != nullptr) trace->push_back({.round = constrained.round(), .arm = arm});
    }
  }
  return {.pulls = world.pulls(), .earned = world.earned()};
}

}  // namespace longrun
