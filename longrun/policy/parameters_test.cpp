// Parameters: the default that help shows is the default that the policy uses.
#include "longrun/policy/parameters.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <numbers>
#include <set>
#include <tuple>

#include "longrun/base/parse_number.h"
#include "longrun/policy/catalog.h"
#include "longrun/policy/spo.h"
#include "longrun/simulate/play.h"

namespace longrun {
namespace {

std::vector<Setting> settings() {
  std::vector<Setting> all;
  for (const Arm arms : {1, 2, 7, 100}) {
    for (const Pulls horizon : {1, 2, 50, 20'000, 1'000'000'000}) all.push_back({.arms = arms, .horizon = horizon});
  }
  return all;
}

/// Calls `test(entry, parameter)` for every parameter of every policy.
template <class Test>
void for_each_parameter(Test test) {
  for (const PolicyEntry& entry : policy_catalog()) {
    for (const Parameter& parameter : entry.parameters) test(entry, parameter);
  }
}

/// The formulas of the help texts as C++, with T the horizon and N the number of arms.
double by_formula(std::string_view text, double T, double N) {
  const double variation = 2;
  const double batch = std::max(1.0, std::ceil(std::pow(N * std::log(N), 1.0 / 3) * std::pow(T / variation, 2.0 / 3)));
  const std::map<std::string_view, double> formulas{
      {"max(2, floor(ln horizon))", std::max(2.0, std::floor(std::log(T)))},
      {"1 - 1/(4 sqrt(horizon))", 1 - 1 / (4 * std::sqrt(T))},
      {"max(1, floor(4 sqrt(horizon ln horizon)))", std::max(1.0, std::floor(4 * std::sqrt(T * std::log(T))))},
      {"max(1, ceil((arms ln arms)^(1/3) (horizon/variation)^(2/3)))", batch},
      {"min(1, sqrt(arms ln arms / ((e-1) batch)))",
       std::min(1.0, std::sqrt(N * std::log(N) / ((std::numbers::e - 1) * batch)))},
      {"1/sqrt(horizon)", 1 / std::sqrt(T)},
      {"0.1 sqrt(ln horizon / horizon)", 0.1 * std::sqrt(std::log(T) / T)},
  };
  const auto found = formulas.find(text);
  EXPECT_NE(found, formulas.end()) << "write the formula '" << text << "' into this test";
  return found == formulas.end() ? 0 : found->second;
}

TEST(ParameterDefaults, ConstantsAreTheNumbersShown) {
  int constants = 0;
  for_each_parameter([&](const PolicyEntry& entry, const Parameter& parameter) {
    if (!std::holds_alternative<double>(parameter.default_value)) return;
    ++constants;
    const std::optional<double> shown = parse_number(parameter.default_text());
    ASSERT_TRUE(shown) << entry.name << ": " << parameter.help();
    for (const Setting& setting : settings()) EXPECT_EQ(Parameters{}.get(parameter, setting), *shown) << entry.name;
  });
  EXPECT_GE(constants, 10);
}

TEST(ParameterDefaults, FormulasAreTheTextsShown) {
  std::set<std::string_view> formulas;
  for_each_parameter([&](const PolicyEntry& entry, const Parameter& parameter) {
    const auto* formula = std::get_if<DefaultFormula>(&parameter.default_value);
    if (formula == nullptr) return;
    formulas.insert(formula->text);
    for (const Setting& setting : settings()) {
      const double expected = by_formula(formula->text, static_cast<double>(setting.horizon), setting.arms);
      EXPECT_DOUBLE_EQ(Parameters{}.get(parameter, setting), expected) << entry.name << ": " << parameter.help();
    }
  });
  EXPECT_EQ(formulas.size(), 7U);
}

TEST(ParameterDefaults, AreAccepted) {
  for_each_parameter([&](const PolicyEntry& entry, const Parameter& parameter) {
    if (std::holds_alternative<NoDefault>(parameter.default_value)) return;
    for (const Setting& setting : settings()) {
      const double value = Parameters{}.get(parameter, setting);
      EXPECT_NO_THROW(PolicyChoice(fmt::format("{}:{}={}", entry.name, parameter.name, value))) << setting.horizon;
    }
  });
}

Bandit noisy_bandit() {
  return {.name = "test",
          .arm_names = {"a", "b", "c"},
          .arms = {SaturatingPower{1, 1, 0.2}, Constant{0.5}, Novelty{0.4, 0.1, 0.95, 0.1}},
          .noise = Gaussian{0.1},
          .recorded_noise = nullptr};
}

std::vector<Arm> choices(const std::string& policy) {
  std::vector<Arm> trace(400);
  play(PolicyChoice(policy), noisy_bandit(), {.arms = 3, .horizon = 400, .noise = Gaussian{0.1}, .seed = 1}, trace);
  return trace;
}

TEST(ParameterDefaults, GivenAsValuesChangeNoDecision) {
  for_each_parameter([&](const PolicyEntry& entry, const Parameter& parameter) {
    if (std::holds_alternative<NoDefault>(parameter.default_value)) return;
    const double value = Parameters{}.get(parameter, {.arms = 3, .horizon = 400, .noise = Gaussian{0.1}, .seed = 1});
    const std::string name(entry.name);
    EXPECT_EQ(choices(fmt::format("{}:{}={}", name, parameter.name, value)), choices(name)) << parameter.name;
  });
}

TEST(ParameterDefaults, OtherValuesChangeDecisions) {
  for (const char* policy : {"spo:initial_pulls=9",
                             "spo:failure=0.9",
                             "greedy:floor=0.5",
                             "exp3:gamma=0.5",
                             "r-exp3:variation=9",
                             "r-exp3:batch=20",
                             "r-exp3:gamma=0.9",
                             "d-ucb:discount=0.7",
                             "d-ucb:exploration=3",
                             "sw-ucb:window=11",
                             "sw-ucb:exploration=3",
                             "ucb:exploration=3",
                             "r-ed-ucb:eps=0.4",
                             "raw-ucb:alpha=20",
                             "fewa:alpha=4",
                             "ptrr:m=0.3",
                             "ptrr:a=0.3",
                             "foresight:estimate_sd=1",
                             "foresight:bound_only=1",
                             "kl-ucb:c=3",
                             "thompson-gaussian:sd=0.5",
                             "epsilon-greedy:epsilon=0.3",
                             "epsilon-greedy:exploration=20",
                             "glr-kl-ucb:alpha=0.5",
                             "glr-kl-ucb:c=3"}) {
    EXPECT_NE(choices(policy), choices(std::string(policy_name(policy)))) << policy;
  }
}

TEST(ParameterDefaults, ThatDependOnOtherParametersFollowThem) {
  const Setting setting{.arms = 4, .horizon = 1'000};
  const auto* r_exp3 = find_policy("r-exp3");
  const auto value = [&](std::size_t parameter, const Parameters& parameters) {
    return parameters.get(r_exp3->parameters[parameter], setting);
  };
  EXPECT_EQ(r_exp3->parameters[1].name, "batch");
  EXPECT_LT(value(1, Parameters({{"variation", 20}})), value(1, {}));
  EXPECT_EQ(r_exp3->parameters[2].name, "gamma");
  EXPECT_DOUBLE_EQ(value(2, Parameters({{"batch", 100}})),
                   std::sqrt(4 * std::log(4.0) / (100 * (std::numbers::e - 1))));
}

TEST(Parameter, HelpIsTheMeaningWithTheDefaultInParentheses) {
  EXPECT_EQ(kSpoInitialPulls.help(), "pulls of every arm before any choice (max(2, floor(ln horizon)))");
  EXPECT_EQ(kSpoFailure.default_text(), "no default: the half-width of the setting");
  EXPECT_EQ((Parameter{.name = "x", .meaning = "a share", .default_value = 0.1, .minimum = 0, .maximum = 1}.help()),
            "a share (0.1)");
}

TEST(Parameters, WithoutADefaultAreFoundOnlyIfSet) {
  const Setting setting;
  EXPECT_EQ(Parameters{}.find(kSpoFailure), std::nullopt);
  EXPECT_THROW(std::ignore = Parameters{}.get(kSpoFailure, setting), std::bad_variant_access);
  EXPECT_EQ(Parameters({{"failure", 0.25}}).find(kSpoFailure), 0.25);
  EXPECT_EQ(Parameters({{"failure", 0.25}}).get(kSpoFailure, setting), 0.25);
}

}  // namespace
}  // namespace longrun
