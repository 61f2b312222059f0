#include "longrun/decide/recommendation.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <tuple>

#include "longrun/base/decimal.h"
#include "longrun/base/input_error.h"
#include "longrun/decide/explanation.h"
#include "python/src/interruptible.h"
#include "python/src/parts.h"

namespace longrun {
namespace {

template <class Report, class... Fields>
auto fields_of(const std::optional<Report>& report, Fields Report::*... fields) {
  return report ? std::optional(std::tuple<Fields...>((*report).*fields...)) : std::nullopt;
}

/// Reads a horizon in units of so many decimals.
Pulls horizon_from(const std::string& text, int decimals) {
  const auto units = parse_decimal(text, decimals);
  if (units && *units >= 1 && *units <= kLongestHorizon) return *units;
  if (decimals == 0 && decimals_of(text) > 0) {
    throw InputError(
        fmt::format("horizon {}: must be a whole number, unless costs or units per round have decimals", text));
  }
  throw InputError(fmt::format("horizon {}: must be a number > 0, at most {}, with at most {} decimals", text,
                               decimal_text(kLongestHorizon, decimals), decimals));
}

auto report_of(const ArmReport& arm) {
  std::vector<std::tuple<Pulls, double>> bound;
  for (const FuturePull& future : arm.upper_bound) bound.emplace_back(future.pull, future.reward);
  std::vector<std::tuple<Pulls, double, double, double>> course;
  for (const auto& [pull, reward] : arm.expected_course)
    course.emplace_back(pull, reward.mean, reward.low, reward.high);
  std::optional<std::tuple<std::string, Pulls, Pulls>> misfit;
  if (arm.misfit) misfit.emplace(name(arm.misfit->kind), arm.misfit->from, arm.misfit->to);
  return std::tuple(arm.pulls, arm.remaining,
                    fields_of(arm.reward_now, &RewardNow::mean, &RewardNow::standard_error, &RewardNow::pulls),
                    std::string(name(arm.trend ? arm.trend->stated() : Trend::undecided)),
                    fields_of(arm.trend, &CurveTrend::rising, &CurveTrend::falling, &CurveTrend::steady),
                    fields_of(arm.expected, &ExpectedReward::mean, &ExpectedReward::low, &ExpectedReward::high),
                    std::move(course), arm.value_of_learning, arm.index, arm.upper_bound_total, std::move(bound),
                    std::move(misfit));
}

auto recommendation(std::vector<std::string> arm_names,
                    const std::vector<std::tuple<Arm, std::optional<double>>>& history, const std::string& horizon,
                    const std::optional<std::string>& noise, std::string policy, std::vector<Arm> unavailable_now,
                    const ConstraintTexts& constraints, std::tuple<double, double> scale, bool keep_outliers,
                    std::uint64_t seed) {
  int decimals = unit_decimals_in(constraints);
  if (decimals > 0) decimals = std::max(decimals, std::min(decimals_of(horizon), kMostDecimals));
  Question question;
  question.history.arm_names = std::move(arm_names);
  question.horizon = horizon_from(horizon, decimals);
  if (noise) question.noise = parse_noise(*noise);
  question.policy = std::move(policy);
  question.constraints = constraints_from(constraints, decimals);
  question.unavailable_now = std::move(unavailable_now);
  question.scale = {.minimum = std::get<0>(scale), .maximum = std::get<1>(scale)};
  question.keep_outliers = keep_outliers;
  question.seed = seed;
  for (const auto& [arm, reward] : history) question.history.pulls.push_back({arm, reward});
  Recommendation answer;
  run_interruptible([&](const auto&) { answer = recommend(question); });
  std::vector<decltype(report_of(answer.arms[0]))> arms;
  for (const ArmReport& arm : answer.arms) arms.push_back(report_of(arm));
  std::vector<std::tuple<Arm, std::map<std::string, Pulls>>> next;
  for (const NextPulls& each : answer.next.arms) {
    std::map<std::string, Pulls> causes;
    for (const auto& [cause, pulls] : each.causes) causes.emplace(name(cause), pulls);
    next.emplace_back(each.arm, std::move(causes));
  }
  std::vector<std::tuple<std::size_t, double, double>> outliers;
  for (const Outlier& outlier : answer.outliers) outliers.emplace_back(outlier.pull, outlier.reward, outlier.typical);
  return std::tuple(
      next, answer.next.first, what_to_do(question, answer), why(question, answer), what_would_change(question, answer),
      cautions(question, answer), answer.remaining, answer.sd, answer.pending, outliers,
      fields_of(answer.to_learn, &ToLearn::instead, &ToLearn::cost, &ToLearn::probability, &ToLearn::gain), arms);
}

}  // namespace

void add_recommendation(nb::module_& module) {
  module.def("recommend", &recommendation, "arm_names"_a, "history"_a, "horizon"_a, "noise"_a.none(), "policy"_a,
             "unavailable_now"_a, "constraints"_a, "scale"_a, "keep_outliers"_a, "seed"_a);
}

}  // namespace longrun
