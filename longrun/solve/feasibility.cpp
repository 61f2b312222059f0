#include "longrun/solve/feasibility.h"

#include "longrun/solve/kept_budget.h"
#include "longrun/solve/lapsing_budget.h"

namespace longrun {

std::shared_ptr<const Feasibility> make_feasibility(ScheduleRules rules, bool units_lapse) {
  if (units_lapse) return std::make_shared<LapsingBudget>(std::move(rules));
  return std::make_shared<KeptBudget>(std::move(rules));
}

}  // namespace longrun
