#include "longrun/decide/feasible_constraints.h"

#include <fmt/format.h>

#include <string_view>

#include "longrun/base/input_error.h"
#include "longrun/decide/reward_scale.h"

namespace longrun {
namespace {

/// Returns the names of the constraints that are minima and that are given; both if neither is, but a plan.
std::string_view minima_given(const Constraints& constraints) {
  const bool pulls = constraints.minimum_pulls != Constraints{}.minimum_pulls;
  const bool share = constraints.minimum_share != Constraints{}.minimum_share;
  if (pulls == share) return "minimum_pulls, minimum_share";
  return pulls ? "minimum_pulls" : "minimum_share";
}

}  // namespace

FeasibleConstraints resolve_feasible(const Constraints& constraints, Arm arms, Pulls horizon,
                                     std::span<const Pulls> plan, const std::vector<std::string>& arm_names) {
  const ResolvedConstraints resolved = ResolvedConstraints(constraints, arms, horizon).with_minimum(plan);
  auto feasibility =
      make_feasibility({.budget = resolved.budget(), .costs = resolved.costs(), .unavailable = resolved.unavailable()},
                       resolved.units_lapse());
  ScheduleWords words{.unit = static_cast<double>(power_of_ten(constraints.unit_decimals))};
  for (std::size_t arm = 0; arm < arm_names.size(); ++arm) {
    words.arms.push_back(arm_label(arm_names, static_cast<Arm>(arm)));
  }
  if (const auto obstacle = feasibility->obstacle(resolved.least_pulls(), words)) {
    throw InputError(fmt::format("{}: {}", minima_given(constraints), *obstacle));
  }
  return {.resolved = resolved, .feasibility = std::move(feasibility)};
}

}  // namespace longrun
