#include "longrun/decide/feasible_constraints.h"

#include <fmt/format.h>

#include "longrun/base/input_error.h"

namespace longrun {

FeasibleConstraints resolve_feasible(const Constraints& constraints, Arm arms, Pulls horizon,
                                     std::span<const Pulls> plan) {
  const ResolvedConstraints resolved = ResolvedConstraints(constraints, arms, horizon).with_minimum(plan);
  auto feasibility =
      make_feasibility({.budget = resolved.budget(), .costs = resolved.costs(), .unavailable = resolved.unavailable()},
                       resolved.units_lapse());
  if (const auto obstacle = feasibility->obstacle(resolved.least_pulls())) {
    throw InputError(fmt::format("minimum_pulls, minimum_share: {}", *obstacle));
  }
  return {.resolved = resolved, .feasibility = std::move(feasibility)};
}

}  // namespace longrun
