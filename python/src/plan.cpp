#include "longrun/simulate/plan/plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <optional>
#include <tuple>
#include <variant>

#include "longrun/base/decimal.h"
#include "longrun/base/input_error.h"
#include "longrun/model/arm_labels.h"
#include "longrun/simulate/plan/compared_constraints.h"
#include "longrun/simulate/plan/plan_of_study.h"
#include "longrun/simulate/plan/plan_text.h"
#include "python/src/interruptible.h"
#include "python/src/parts.h"
#include "python/src/questions.h"

namespace longrun {
namespace {

using RangeFields = std::tuple<double, double, double>;

RangeFields range_of(const FutureRange& range) { return {range.mean, range.low, range.high}; }

auto course_of(const Course& course) {
  std::vector<RangeFields> arms;
  for (const FutureRange& pulls : course.arm_pulls) arms.push_back(range_of(pulls));
  return std::tuple(std::string(name(course.kind)), course.name, range_of(course.total), range_of(course.pulls),
                    std::move(arms), range_of(course.loss), course.worse_share, course.better_share, course.unmet,
                    course.total_as_shown, course.loss_as_shown);
}

/// Returns constraints to compare with: the text of one, which takes the place of that constraint, or all of them.
ComparedConstraints compared(const std::variant<std::string, ConstraintFields>& other, const Constraints& constraints,
                             const ConstraintForm& form) {
  if (const auto* text = std::get_if<std::string>(&other)) {
    try {
      return compared_constraints(*text, constraints, form);
    } catch (const InputError& error) {
      throw InputError(std::string("compare: ") + error.what());
    }
  }
  ComparedConstraints all{.name = "", .constraints = constraints_from(std::get<ConstraintFields>(other))};
  for (auto& [field, text] : constraint_texts(all.constraints, form)) {
    all.field = all.name.empty() ? field : "";
    std::replace(field.begin(), field.end(), '_', '-');
    all.name += fmt::format("{}{} {}", all.name.empty() ? "" : ", ", field, text);
  }
  return all.name.empty() ? compared_constraints("none", constraints, form) : all;
}

nb::object answered(PlanQuestion asked, bool arms_are_ordered, const PlanArguments& arguments) {
  const auto& [compare, futures, seed, threads, progress] = arguments;
  asked.futures = futures;
  asked.seed = seed;
  const ArmLabels labels(asked.question.history.arm_names);
  const ConstraintForm form{.arms = &labels, .arms_are_ordered = arms_are_ordered};
  for (const auto& each : compare) asked.compare.push_back(compared(each, asked.question.constraints, form));
  const int number_of_threads = threads;  // a lambda cannot capture a structured binding
  std::atomic<Pulls> done{0};
  Plan answer;
  run_interruptible(
      [&](const std::atomic<bool>& stop) {
        answer = plan(
            asked, {.threads = number_of_threads, .stop = &stop, .on_progress = [&](Pulls played) { done = played; }});
      },
      [&, &show = progress] { show(done); });
  std::vector<std::tuple<Pulls, Pulls, RangeFields, RangeFields, std::optional<double>>> arms;
  for (std::size_t i = 0; i < answer.arms.size(); ++i) {
    const PlannedArm& arm = answer.arms[i];
    arms.emplace_back(arm.made, arm.pending, range_of(arm.next_round), range_of(arm.rest),
                      answer.arm_noise_sds.empty() ? std::nullopt : std::optional(answer.arm_noise_sds[i]));
  }
  std::vector<decltype(course_of(answer.courses[0]))> courses;
  for (const Course& course : answer.courses) courses.push_back(course_of(course));
  const double units_left = static_cast<double>(answer.units_left) /
                            static_cast<double>(power_of_ten(asked.question.constraints.unit_decimals));
  return nb::cast(std::tuple(what_is_earned(asked, answer), what_constraints_cost(asked, answer),
                             what_is_not_met(answer), answer.cautions, answer.policy, answer.made, answer.pending,
                             units_left, to_text(answer.noise), answer.noise_estimated, arms, courses));
}

nb::object plan_after_history(const QuestionArguments& question, bool arms_are_ordered,
                              const PlanArguments& arguments) {
  return in_rows([&] { return answered({.question = question_from(question)}, arms_are_ordered, arguments); });
}

}  // namespace

nb::object plan_of_study(StudyHistory study, const PlanArguments& arguments) {
  PlanQuestion asked{.question = question_of(study)};
  asked.study = std::move(study);
  return answered(std::move(asked), true, arguments);
}

void add_plan(nb::module_& module) {
  module.def("plan", &plan_after_history, "question"_a, "arms_are_ordered"_a, "arguments"_a);
}

}  // namespace longrun
