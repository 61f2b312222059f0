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

auto recommendation(std::vector<std::string> arm_names,
                    const std::vector<std::tuple<Arm, std::optional<double>>>& history, const std::string& horizon,
                    const std::optional<std::string>& noise, std::string policy, std::vector<Arm> unavailable_now,
                    const ConstraintTexts& constraints, std::tuple<double, double> scale, std::uint64_t seed) {
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
  question.seed = seed;
  for (const auto& [arm, reward] : history) question.history.pulls.push_back({arm, reward});
  Recommendation answer;
  run_interruptible([&](const auto&) { answer = recommend(question); });
  using Rewards = std::tuple<double, double, double>;
  std::vector<
      std::tuple<Pulls, std::optional<std::tuple<double, double, Pulls>>, std::string, std::optional<Rewards>,
                 std::optional<Rewards>, std::optional<double>, double, double, std::vector<std::tuple<Pulls, double>>>>
      arms;
  for (const ArmReport& arm : answer.arms) {
    std::vector<std::tuple<Pulls, double>> curve;
    for (const FuturePull& future : arm.upper_bound) curve.emplace_back(future.pull, future.reward);
    arms.emplace_back(arm.pulls,
                      fields_of(arm.reward_now, &RewardNow::mean, &RewardNow::standard_error, &RewardNow::pulls),
                      name(arm.trend ? arm.trend->stated() : Trend::undecided),
                      fields_of(arm.trend, &CurveTrend::rising, &CurveTrend::falling, &CurveTrend::steady),
                      fields_of(arm.expected, &ExpectedReward::mean, &ExpectedReward::low, &ExpectedReward::high),
                      arm.value_of_learning(), arm.index, arm.upper_bound_total, std::move(curve));
  }
  std::vector<std::tuple<Arm, std::map<std::string, Pulls>>> next;
  for (const NextPulls& each : answer.next.arms) {
    std::map<std::string, Pulls> causes;
    for (const auto& [cause, pulls] : each.causes) causes.emplace(name(cause), pulls);
    next.emplace_back(each.arm, std::move(causes));
  }
  return std::tuple(next, what_to_do(question, answer), why(question, answer), what_would_change(question, answer),
                    answer.remaining, answer.sd, answer.pending, arms);
}

}  // namespace

void add_recommendation(nb::module_& module) {
  module.def("recommend", &recommendation, "arm_names"_a, "history"_a, "horizon"_a, "noise"_a.none(), "policy"_a,
             "unavailable_now"_a, "constraints"_a, "scale"_a, "seed"_a);
}

}  // namespace longrun
