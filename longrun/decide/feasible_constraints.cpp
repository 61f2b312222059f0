#include "longrun/decide/feasible_constraints.h"

#include "longrun/decide/reward_scale.h"
#include "longrun/model/arm_labels.h"

namespace longrun {
namespace {

/// Returns the names of the constraints that are minima and that are given; both if neither is, but a plan.
std::vector<std::string> minima_given(const Constraints& constraints) {
  const bool pulls = constraints.minimum_pulls != Constraints{}.minimum_pulls;
  const bool share = constraints.minimum_share != Constraints{}.minimum_share;
  if (pulls == share) return {"minimum_pulls", "minimum_share"};
  return {pulls ? "minimum_pulls" : "minimum_share"};
}

FeasibleConstraints with_feasibility(const ResolvedConstraints& resolved) {
  return {.resolved = resolved,
          .feasibility = make_feasibility(
              {.budget = resolved.budget(), .costs = resolved.costs(), .unavailable = resolved.unavailable()},
              resolved.units_lapse())};
}

}  // namespace

ScheduleWords words_for(const Constraints& constraints, const std::vector<std::string>& arm_names) {
  ScheduleWords words{.unit = static_cast<double>(power_of_ten(constraints.unit_decimals))};
  for (std::size_t arm = 0; arm < arm_names.size(); ++arm) {
    words.arms.push_back(arm_label(arm_names, static_cast<Arm>(arm)));
  }
  return words;
}

FieldError unmet(const Constraints& constraints, const std::string& obstacle) {
  return {minima_given(constraints), obstacle};
}

FeasibleConstraints resolve_under_way(const Constraints& constraints, Arm arms, Pulls horizon) {
  return with_feasibility(ResolvedConstraints(constraints, arms, horizon));
}

FeasibleConstraints resolve_feasible(const Constraints& constraints, Arm arms, Pulls horizon,
                                     std::span<const Pulls> plan, const std::vector<std::string>& arm_names) {
  FeasibleConstraints feasible = with_feasibility(ResolvedConstraints(constraints, arms, horizon).with_minimum(plan));
  const auto obstacle =
      feasible.feasibility->obstacle(feasible.resolved.least_pulls(), words_for(constraints, arm_names));
  if (obstacle) throw unmet(constraints, *obstacle);
  return feasible;
}

}  // namespace longrun
