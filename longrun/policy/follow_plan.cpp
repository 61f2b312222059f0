#include "longrun/policy/follow_plan.h"

#include <fmt/format.h>

#include <algorithm>

#include "longrun/base/input_error.h"

namespace longrun {

FollowPlan::FollowPlan(const Setting& setting) : ledger_(setting), plan_(setting.plan) {
  if (plan_.size() != static_cast<std::size_t>(setting.arms)) {
    throw InputError(fmt::format("policy 'optimal': the plan has {} pull counts; it needs one for each of the {} arms",
                                 plan_.size(), setting.arms));
  }
}

Arm FollowPlan::choose() {
  Arm arm = 0;
  for (Arm candidate = 0; candidate < ledger_.arms(); ++candidate) {
    const Pulls planned = plan_[static_cast<std::size_t>(candidate)];
    if (planned > 0) arm = candidate;
    if (ledger_.tried(candidate) < planned) break;
  }
  return arm;
}

Arm FollowPlan::choose(const Restriction& restriction) {
  const auto planned = [this](Arm arm) { return ledger_.tried(arm) < plan_[static_cast<std::size_t>(arm)]; };
  const auto found = std::find_if(restriction.arms.begin(), restriction.arms.end(), planned);
  return found == restriction.arms.end() ? restriction.arms[0] : *found;
}

}  // namespace longrun
