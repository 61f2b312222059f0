#pragma once

#include <vector>

#include "longrun/base/types.h"
#include "longrun/model/constraints.h"
#include "longrun/policy/catalog.h"
#include "longrun/policy/setting.h"
#include "longrun/simulate/play.h"
#include "longrun/simulate/world.h"

namespace longrun {

/// One pull of a run under constraints.
struct RoundPull {
  Pulls round = 1;
  Arm arm = 0;
  bool operator==(const RoundPull&) const = default;
};

/// Runs a policy in `world` under constraints. If `trace` is given, it receives every pull.
RunResult play_constrained(World world, const PolicyChoice& policy, const Setting& setting,
                           const Constraints& constraints, std::vector<RoundPull>* trace = nullptr);

}  // namespace longrun
