#include "longrun/decide/recommendation.h"

#include <cstdint>
#include <optional>
#include <tuple>

#include "longrun/decide/explanation.h"
#include "python/src/interruptible.h"
#include "python/src/parts.h"

namespace longrun {
namespace {

template <class Report, class... Fields>
auto fields_of(const std::optional<Report>& report, Fields Report::*... fields) {
  return report ? std::optional(std::tuple<Fields...>((*report).*fields...)) : std::nullopt;
}

auto recommendation(std::vector<std::string> arm_names, const std::vector<std::tuple<Arm, double>>& history,
                    Pulls horizon, const std::optional<std::string>& noise, std::string policy,
                    std::vector<Arm> unavailable_now, const ConstraintTexts& constraints,
                    std::tuple<double, double> scale, std::uint64_t seed) {
  Question question{.history = {.arm_names = std::move(arm_names), .pulls = {}},
                    .horizon = horizon,
                    .noise = noise ? std::optional(parse_noise(*noise)) : std::nullopt,
                    .policy = std::move(policy),
                    .constraints = constraints_from(constraints),
                    .unavailable_now = std::move(unavailable_now),
                    .scale = {.minimum = std::get<0>(scale), .maximum = std::get<1>(scale)},
                    .seed = seed};
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
                    answer.remaining, answer.sd, arms);
}

}  // namespace

void add_recommendation(nb::module_& module) {
  module.def("recommend", &recommendation, "arm_names"_a, "history"_a, "horizon"_a, "noise"_a.none(), "policy"_a,
             "unavailable_now"_a, "constraints"_a, "scale"_a, "seed"_a);
}

}  // namespace longrun
