#pragma once

#include <string>

#include "longrun/simulate/plan/plan.h"

namespace longrun {

/// Returns the answer as one line of JSON: sentences, and the numbers of every arm and course. Bytes of labels that are
/// not UTF-8 are replaced.
std::string plan_json(const PlanQuestion& asked, const Plan& plan);

}  // namespace longrun
