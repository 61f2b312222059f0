#pragma once

#include "longrun/report/advice/advice_page.h"
#include "longrun/simulate/plan/plan.h"

namespace longrun {

/// Returns the page of a plan: what is earned, what constraints cost, the totals of all courses, the pulls of each arm,
/// the question, and what is needed to make the page again.
AdvicePage plan_page(const PlanQuestion& asked, const Plan& plan, PageOrigin origin);

}  // namespace longrun
