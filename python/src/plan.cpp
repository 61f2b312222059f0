#include "longrun/simulate/plan.h"

#include <atomic>
#include <optional>
#include <tuple>

#include "longrun/base/decimal.h"
#include "longrun/base/input_error.h"
#include "longrun/simulate/compared_constraints.h"
#include "longrun/simulate/plan_text.h"
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

auto planned(const QuestionArguments& arguments, const std::vector<std::string>& compare, Pulls futures,
             std::uint64_t seed, int threads, const std::function<void(Pulls)>& progress) {
  PlanQuestion asked{.question = question_from(arguments), .futures = futures, .seed = seed};
  const ArmLabels labels(asked.question.history.arm_names);
  for (const std::string& text : compare) {
    try {
      asked.compare.push_back(
          compared_constraints(text, asked.question.constraints, {.arms = &labels, .arms_are_ordered = true}));
    } catch (const InputError& error) {
      throw InputError(std::string("compare: ") + error.what());
    }
  }
  std::atomic<Pulls> done{0};
  Plan answer;
  run_interruptible(
      [&](const std::atomic<bool>& stop) {
        answer = plan(asked, {.threads = threads, .stop = &stop, .on_progress = [&](Pulls played) { done = played; }});
      },
      [&] { progress(done); });
  std::vector<std::tuple<Pulls, Pulls, RangeFields, RangeFields>> arms;
  for (const PlannedArm& arm : answer.arms)
    arms.emplace_back(arm.made, arm.pending, range_of(arm.next_round), range_of(arm.rest));
  std::vector<decltype(course_of(answer.courses[0]))> courses;
  for (const Course& course : answer.courses) courses.push_back(course_of(course));
  const double units_left = static_cast<double>(answer.units_left) /
                            static_cast<double>(power_of_ten(asked.question.constraints.unit_decimals));
  return std::tuple(what_is_earned(asked, answer), what_constraints_cost(asked, answer), what_is_not_met(answer),
                    answer.cautions, answer.policy, answer.made, answer.pending, units_left, to_text(answer.noise),
                    answer.noise_estimated, arms, courses);
}

}  // namespace

void add_plan(nb::module_& module) {
  module.def("plan", &planned, "question"_a, "compare"_a, "futures"_a, "seed"_a, "threads"_a, "progress"_a);
}

}  // namespace longrun
