#include "longrun/report/advice/plan_json.h"

#include "longrun/model/arm_labels.h"
#include "longrun/report/advice/internal/question_json.h"
#include "longrun/report/json_values.h"
#include "longrun/simulate/plan/plan_text.h"

namespace longrun {
namespace {

using nlohmann::ordered_json;

ordered_json as_json(const FutureRange& range) {
  return {{"mean", range.mean}, {"low", range.low}, {"high", range.high}};
}

ordered_json as_json(const Course& course) {
  ordered_json arms = ordered_json::array();
  for (const FutureRange& pulls : course.arm_pulls) arms.push_back(as_json(pulls));
  return {{"kind", name(course.kind)},
          {"name", course.name},
          {"total", as_json(course.total)},
          {"pulls", as_json(course.pulls)},
          {"arm_pulls", arms},
          {"loss", as_json(course.loss)},
          {"worse_share", course.worse_share},
          {"better_share", course.better_share},
          {"unmet", course.unmet},
          {"total_as_shown", number_json<ordered_json>(course.total_as_shown)},
          {"loss_as_shown", number_json<ordered_json>(course.loss_as_shown)}};
}

}  // namespace

std::string plan_json(const PlanQuestion& asked, const Plan& plan) {
  const Question& question = asked.question;
  ordered_json arms = ordered_json::array();
  for (std::size_t arm = 0; arm < plan.arms.size(); ++arm) {
    arms.push_back({{"arm", arm},
                    {"name", label_of(question.history.arm_names, static_cast<Arm>(arm))},
                    {"made", plan.arms[arm].made},
                    {"pending", plan.arms[arm].pending},
                    {"next_round", as_json(plan.arms[arm].next_round)},
                    {"rest", as_json(plan.arms[arm].rest)}});
    if (!plan.arm_noise_sds.empty()) arms.back()["noise_sd"] = plan.arm_noise_sds[arm];
  }
  ordered_json courses = ordered_json::array();
  for (const Course& course : plan.courses) courses.push_back(as_json(course));
  ordered_json object{{"what_is_earned", what_is_earned(asked, plan)},
                      {"what_constraints_cost", what_constraints_cost(asked, plan)},
                      {"what_is_not_met", what_is_not_met(plan)},
                      {"cautions", plan.cautions},
                      {"policy", plan.policy},
                      {"horizon", units_as_json(question, question.horizon)},
                      {"made", plan.made},
                      {"pending", plan.pending},
                      {"units_left", units_as_json(question, plan.units_left)},
                      {"futures", plan.futures},
                      {"seed", seed_json<ordered_json>(asked.seed)},
                      {"noise", {{"text", to_text(plan.noise)}, {"estimated", plan.noise_estimated}}},
                      {"scale", {question.scale.minimum, question.scale.maximum}},
                      {"arms", arms},
                      {"courses", courses}};
  add_conditions(object, question);
  // JSON must be UTF-8, which the name of an arm need not be.
  return object.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
}

}  // namespace longrun
