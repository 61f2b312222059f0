#pragma once

#include <memory>
#include <span>

#include "longrun/base/types.h"
#include "longrun/model/constraints.h"
#include "longrun/model/resolved_constraints.h"
#include "longrun/solve/feasibility.h"

namespace longrun {

/// Constraints that some schedule meets, and the pulls they leave possible.
struct FeasibleConstraints {
  ResolvedConstraints resolved;
  std::shared_ptr<const Feasibility> feasibility;  ///< not null; copies share it
};

/// Returns the constraints of one problem, resolved, with at least `plan[arm]` pulls of every arm if a plan is given.
/// Throws InputError if they are invalid or if no schedule meets them; it calls arms by `arm_names`, or by their
/// positions if those are empty.
FeasibleConstraints resolve_feasible(const Constraints& constraints, Arm arms, Pulls horizon,
                                     std::span<const Pulls> plan = {}, const std::vector<std::string>& arm_names = {});

}  // namespace longrun
