#include "longrun/report/advice/internal/question_json.h"

#include "longrun/model/arm_labels.h"

namespace longrun {

nlohmann::ordered_json units_as_json(const Question& question, Pulls units) {
  const int decimals = question.constraints.unit_decimals;
  if (decimals == 0) return units;
  return static_cast<double>(units) / static_cast<double>(power_of_ten(decimals));
}

nlohmann::ordered_json arm_as_json(const Question& question, Arm arm) {
  return {{"arm", arm}, {"name", label_of(question.history.arm_names, arm)}};
}

void add_conditions(nlohmann::ordered_json& answer, const Question& question) {
  if (!question.constraints.none()) {
    const ArmLabels labels(question.history.arm_names);
    const ConstraintForm form{.arms = &labels, .arms_are_ordered = false};
    for (const auto& [field, text] : constraint_texts(question.constraints, form)) answer["constraints"][field] = text;
  }
  for (const Arm arm : question.unavailable_now) answer["unavailable_now"].push_back(arm_as_json(question, arm));
  if (!question.history.warnings.empty()) answer["warnings"] = question.history.warnings;
}

}  // namespace longrun
