#include "longrun/decide/advice/recommendation.h"

#include <optional>
#include <tuple>

#include "longrun/data/row_order.h"
#include "longrun/decide/advice/explanation.h"
#include "python/src/interruptible.h"
#include "python/src/parts.h"
#include "python/src/questions.h"

namespace longrun {
namespace {

template <class Report, class... Fields>
auto fields_of(const std::optional<Report>& report, Fields Report::*... fields) {
  return report ? std::optional(std::tuple<Fields...>((*report).*fields...)) : std::nullopt;
}

auto fields_of(const std::vector<Outlier>& far) {
  std::vector<std::tuple<std::size_t, double, double>> fields;
  for (const Outlier& each : far) fields.emplace_back(each.pull, each.reward, each.typical);
  return fields;
}

auto report_of(const ArmReport& arm) {
  std::vector<std::tuple<Pulls, double>> bound;
  for (const FuturePull& future : arm.upper_bound) bound.emplace_back(future.pull, future.reward);
  std::vector<std::tuple<Pulls, double, double, double>> course;
  for (const auto& [pull, reward] : arm.expected_course)
    course.emplace_back(pull, reward.mean, reward.low, reward.high);
  std::optional<std::tuple<std::string, Pulls, Pulls, Pulls>> misfit;
  if (arm.misfit) misfit.emplace(name(arm.misfit->kind), arm.misfit->from, arm.misfit->to, arm.misfit->counted);
  return std::tuple(arm.pulls, arm.remaining,
                    fields_of(arm.reward_now, &RewardNow::mean, &RewardNow::standard_error, &RewardNow::pulls,
                              &RewardNow::low, &RewardNow::high, &RewardNow::estimate),
                    arm.noise_sd, std::string(name(arm.trend ? arm.trend->stated() : Trend::undecided)),
                    fields_of(arm.trend, &CurveTrend::rising, &CurveTrend::falling, &CurveTrend::steady),
                    fields_of(arm.expected, &FutureRange::mean, &FutureRange::low, &FutureRange::high),
                    std::move(course), arm.value_of_learning, arm.index, arm.upper_bound_total, std::move(bound),
                    std::move(misfit), arm.pending,
                    arm.pending > 0 ? std::optional(arm.pending_counted_as) : std::nullopt);
}

}  // namespace

nb::object fields_of_answer(const Question& question, const Recommendation& answer) {
  std::vector<decltype(report_of(answer.arms[0]))> arms;
  for (const ArmReport& arm : answer.arms) arms.push_back(report_of(arm));
  std::vector<std::tuple<Arm, std::map<std::string, Pulls>>> next;
  for (const NextPulls& each : answer.next.arms) {
    std::map<std::string, Pulls> causes;
    for (const auto& [cause, pulls] : each.causes) causes.emplace(name(cause), pulls);
    next.emplace_back(each.arm, std::move(causes));
  }
  using Ranges = std::vector<std::tuple<double, double, Arm>>;
  std::optional<std::tuple<Arm, Pulls, Ranges>> supposed;
  if (answer.what_if) {
    Ranges ranges;
    for (const Consequence& each : answer.what_if->consequences) ranges.emplace_back(each.from, each.to, each.arm);
    supposed.emplace(answer.what_if->arm, answer.what_if->pulls, std::move(ranges));
  }
  const double units_left =
      static_cast<double>(answer.units_left) / static_cast<double>(power_of_ten(question.constraints.unit_decimals));
  return nb::cast(
      std::tuple(next, answer.next.first, what_to_do(question, answer), why(question, answer),
                 what_would_change(question, answer), cautions(question, answer), answer.remaining, answer.sd,
                 answer.pending, fields_of(answer.outliers), fields_of(answer.doubtful),
                 fields_of(answer.to_learn, &ToLearn::instead, &ToLearn::cost, &ToLearn::probability, &ToLearn::gain),
                 arms, answer.policy, answer.made, units_left, answer.next.number,
                 answer.next.without_choice + answer.next.saving, answer.sd_estimated, std::move(supposed)));
}

namespace {

nb::object recommendation(const QuestionArguments& arguments) {
  const Question question = question_from(arguments);
  Recommendation answer;
  in_rows([&] { run_interruptible([&](const auto&) { answer = recommend(question); }); });
  return fields_of_answer(question, answer);
}

}  // namespace

void add_recommendation(nb::module_& module) {
  module.def("recommend", &recommendation, "question"_a);
  module.def("read_history_rows", &read_history_rows, "arms"_a, "rewards"_a, "lost"_a, "others"_a, "labels"_a,
             "are_all_names"_a);
  module.def("may_tell_order", &may_tell_order, "column"_a);
  module.def("arms_of_file", &arms_of_file, "path"_a);
}

}  // namespace longrun
