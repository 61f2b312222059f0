#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "longrun/base/field_error.h"
#include "longrun/base/types.h"
#include "longrun/model/constraints.h"
#include "longrun/model/resolved_constraints.h"
#include "longrun/solve/feasibility.h"

namespace longrun {

/// Constraints, resolved, and the pulls they leave possible.
struct FeasibleConstraints {
  ResolvedConstraints resolved;
  std::shared_ptr<const Feasibility> feasibility;  ///< not null; copies share it
};

/// Returns how messages about these constraints name arms, by position if `arm_names` are empty, and units.
ScheduleWords words_for(const Constraints& constraints, const std::vector<std::string>& arm_names);
/// Returns the error that the constraints cannot be met, which names those of them that are minima.
FieldError unmet(const Constraints& constraints, const std::string& obstacle);

/// Returns the constraints of one problem, resolved, for a study that is under way: the caller checks whether a
/// schedule meets them from there. Throws FieldError if they are invalid.
FeasibleConstraints resolve_under_way(const Constraints& constraints, Arm arms, Pulls horizon);

/// Returns the constraints of one problem, resolved, with at least `plan[arm]` pulls of every arm if a plan is given.
/// Throws FieldError if they are invalid or if no schedule meets them; it calls arms by `arm_names`, or by their
/// positions if those are empty.
FeasibleConstraints resolve_feasible(const Constraints& constraints, Arm arms, Pulls horizon,
                                     std::span<const Pulls> plan = {}, const std::vector<std::string>& arm_names = {});

}  // namespace longrun
