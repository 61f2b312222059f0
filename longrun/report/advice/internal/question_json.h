#pragma once

#include <nlohmann/json.hpp>

#include "longrun/decide/advice/question.h"

namespace longrun {

/// Returns a number of units as JSON, with its decimals.
nlohmann::ordered_json units_as_json(const Question& question, Pulls units);

/// Returns an arm as JSON: its position and its label.
nlohmann::ordered_json arm_as_json(const Question& question, Arm arm);

/// Adds the constraints, the arms that are unavailable now and the warnings of the history to an answer, as far as
/// there are any.
void add_conditions(nlohmann::ordered_json& answer, const Question& question);

}  // namespace longrun
