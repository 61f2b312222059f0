// The errors of experiment files, except those of their bandits.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "longrun/base/input_error.h"
#include "longrun/experiment/config.h"
#include "tests/config_text.h"
#include "tests/scratch.h"

namespace longrun {
namespace {

constexpr std::string_view kHorizonForm = "a list such as [100, 200], or {from = 5, to = 20000, count = 100}";
constexpr std::string_view kPolicyForm =
    R"(a list such as ["spo", "d-ucb:discount=0.99", {name = "sw-ucb", window = [100, 200]}])";

std::string error_of_horizons(const std::string& horizons) { return error_of_config(with_horizons(horizons)); }

TEST(ConfigMistakes, InTheFile) {
  const std::string missing = written("x.toml", "") + ".toml";
  EXPECT_THROW(
      {
        try {
          load_config(missing);
        } catch (const InputError& error) {
          EXPECT_EQ(error.what(), missing + ": no such file");
          throw;
        }
      },
      InputError);
  EXPECT_THROW(load_config(::testing::TempDir()), InputError);
}

TEST(ConfigMistakes, InTheSyntax) {
  EXPECT_EQ(error_of_line("seeds = "),
            "x.toml: line 4: not valid TOML: Error while parsing key-value pair: expected value, saw '\\n'");
  EXPECT_EQ(error_of_line("seeds = 1\nseeds = 2"),
            "x.toml: line 5: not valid TOML: Error while parsing key-value pair: cannot redefine existing integer "
            "'seeds'");
  EXPECT_EQ(error_of_line("noise = [}]"),
            "x.toml: line 4: not valid TOML: Error while parsing value: could not determine value type");
  EXPECT_TRUE(error_of_line("title = \"\xff\"").starts_with("x.toml: line 4: not valid TOML: "));
  EXPECT_TRUE(error_of_line("noise = [\"none\"\n\nseeds = 3").starts_with("x.toml: line 6: not valid TOML: "));
}

TEST(ConfigMistakes, OnKeys) {
  EXPECT_EQ(
      error_of_line("sedes = 3"),
      "x.toml: line 4: sedes: is not a key here; allowed: title, group, claim, checks, lp, bandits, bandit, "
      "noise, half_width, "
      "minimum_half_width, policies, horizons, seeds, first_seed, seed, constraints, held_out; did you mean 'seeds'?");
  EXPECT_TRUE(error_of_line("\"a\\nb\" = 3").starts_with("x.toml: line 4: a?b: is not a key here; "));
  EXPECT_EQ(error_of_config("\n\nhorizon = [1]\n").substr(0, 47), "x.toml: line 3: horizon: is not a key here; all");
  EXPECT_EQ(error_of_config("bandits = ['inc_1']\npolicies = ['spo']\n"),
            fmt::format("x.toml: horizons is missing; allowed: {}", kHorizonForm));
  EXPECT_EQ(error_of_config("bandits = ['inc_1']\nhorizons = [1]\n"),
            fmt::format("x.toml: policies is missing; allowed: {}", kPolicyForm));
  EXPECT_EQ(
      error_of_config("policies = ['spo']\nhorizons = [1]\n"),
      fmt::format("x.toml: bandits is missing; allowed: {}, or [[bandit]] with name = \"mine\" and arms = [{{formula "
                  "= \"constant\", level = 0.3}}]",
                  kBanditForm));
}

TEST(ConfigMistakes, OnTextsAndNumbers) {
  EXPECT_EQ(error_of_line("title = 3"), "x.toml: line 4: title: 3 is not a text; allowed: a text between quotes");
  EXPECT_EQ(error_of_line("claim = [1]"),
            "x.toml: line 4: claim: a list is not a text; allowed: a text between quotes");
  EXPECT_EQ(error_of_line("group = {a = 1}"),
            "x.toml: line 4: group: a table is not a text; allowed: a text between quotes");
  EXPECT_EQ(error_of_line("group = 2021-08-19"),
            "x.toml: line 4: group: a date or time is not a text; allowed: a text between quotes");
  EXPECT_EQ(error_of_line("seeds = 'thirty'"),
            "x.toml: line 4: seeds: \"thirty\" is not a whole number; allowed: 1 to 1000000");
  EXPECT_EQ(error_of_line("seeds = true"), "x.toml: line 4: seeds: true is not a whole number; allowed: 1 to 1000000");
  EXPECT_EQ(error_of_line("seeds = 2.5"), "x.toml: line 4: seeds: 2.5 is not a whole number; allowed: 1 to 1000000");
  EXPECT_EQ(error_of_line("seeds = nan"), "x.toml: line 4: seeds: nan is not a whole number; allowed: 1 to 1000000");
  EXPECT_EQ(error_of_line("seeds = 0"), "x.toml: line 4: seeds: 0 is out of range; allowed: 1 to 1000000");
  EXPECT_EQ(error_of_line("seed = -1"), "x.toml: line 4: seed: -1 is out of range; allowed: 0 to 9223372036854775807");
  EXPECT_EQ(error_of_line("minimum_half_width = 'wide'"),
            "x.toml: line 4: minimum_half_width: \"wide\" is not a number; allowed: a finite number");
  EXPECT_EQ(error_of_line("minimum_half_width = inf"),
            "x.toml: line 4: minimum_half_width: inf is not a number; allowed: a finite number");
  EXPECT_EQ(error_of_line("minimum_half_width = -0.5"),
            "x.toml: line 4: minimum_half_width: -0.5 is negative; allowed: a number >= 0");
  EXPECT_EQ(
      error_of_config("bandits = ['inc_1']\npolicies = ['spo', 'ucb']\nhorizons = [1000000000000]\nseeds = 1000000\n"),
      "x.toml: 2e+18 steps in all would take decades; allowed: at most 1e+18");
}

TEST(ConfigMistakes, OnHorizons) {
  EXPECT_EQ(error_of_horizons("100"),
            fmt::format("x.toml: line 3: horizons: 100 is not a list; allowed: {}", kHorizonForm));
  EXPECT_EQ(error_of_horizons("[]"), fmt::format("x.toml: line 3: horizons: [] is empty; allowed: {}", kHorizonForm));
  EXPECT_EQ(error_of_horizons("[10,\n 0]"),
            "x.toml: line 4: horizons[1]: 0 is out of range; allowed: 1 to 1000000000000");
  EXPECT_EQ(error_of_horizons("[10, 20, 10]"),
            "x.toml: line 3: horizons[2]: 10 is given twice; allowed: each horizon once");
  EXPECT_EQ(error_of_horizons("{from = 0, to = 10, count = 3}"),
            "x.toml: line 3: horizons.from: 0 is out of range; allowed: 1 to 999999999999");
  EXPECT_EQ(error_of_horizons("{from = 10, to = 10, count = 3}"),
            "x.toml: line 3: horizons.to: 10 is out of range; allowed: 11 to 1000000000000");
  EXPECT_EQ(error_of_horizons("{from = 1, to = 10, count = 11}"),
            "x.toml: line 3: horizons.count: 11 is out of range; allowed: 2 to 10");
  EXPECT_EQ(error_of_horizons("{from = 1, to = 10, count = 1}"),
            "x.toml: line 3: horizons.count: 1 is out of range; allowed: 2 to 10");
  EXPECT_EQ(error_of_horizons("{from = 1, to = 10}"),
            "x.toml: line 3: horizons: count is missing; allowed: a whole number >= 2");
  EXPECT_EQ(error_of_horizons("{from = 1, to = 10, count = 3, step = 2}"),
            "x.toml: line 3: horizons.step: is not a key here; allowed: from, to, count, spacing");
  EXPECT_EQ(error_of_horizons("{from = 1, to = 10, count = 3, spacing = 'lin'}"),
            "x.toml: line 3: horizons.spacing: \"lin\" is not a spacing; allowed: linear, log; did you mean 'log'?");
}

TEST(ConfigMistakes, InTheNameOfTheFile) {
  try {
    parse_config("bandits = ['inc_1']\npolicies = ['spo']\nhorizons = [10]\n", "folder/\xff.toml");
    FAIL() << "no error";
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(), "folder/\xff.toml: the name of the file is not UTF-8; rename the file");
  }
}

TEST(ConfigMistakes, OnNoise) {
  EXPECT_EQ(error_of_line("noise = 'none'"),
            "x.toml: line 4: noise: \"none\" is not a list; allowed: a list such as [\"none\", \"gaussian:0.05\"]");
  EXPECT_EQ(error_of_line("noise = [0.05]"),
            "x.toml: line 4: noise[0]: 0.05 is not a text; allowed: a list such as [\"none\", \"gaussian:0.05\"]");
  EXPECT_EQ(error_of_line("noise = ['gausian:0.1']"),
            "x.toml: line 4: noise[0]: unknown noise 'gausian:0.1': use none, gaussian:SD, uniform:BOUND, "
            "beta:BOUND:SD, student:SD or "
            "bernoulli; did you mean 'gaussian'?");
  EXPECT_EQ(error_of_line("noise = ['gaussian:-1']"),
            "x.toml: line 4: noise[0]: noise 'gaussian:-1': standard deviation '-1' is not a number from 0 to 1e+100");
  EXPECT_EQ(error_of_line("noise = ['gaussian:0.1', 'gaussian:0.10']"),
            "x.toml: line 4: noise[1]: \"gaussian:0.10\" is given twice; allowed: each noise once");
  EXPECT_EQ(error_of_line("half_width = 'wide'"),
            "x.toml: line 4: half_width: 'wide' is not a number; use a number >= 0, 'bound', 'Ksd' such as 2sd, "
            "or 'failure:P' such as failure:0.05");
  EXPECT_EQ(
      error_of_line("half_width = []"),
      "x.toml: line 4: half_width: [] is not a text; allowed: a number >= 0, \"bound\", \"2sd\" or \"failure:0.05\"");
  EXPECT_EQ(error_of_line("half_width = 'bound'\nnoise = ['uniform:0.1', 'gaussian:0.1']"),
            "x.toml: line 4: half_width: 'bound' needs bounded noise, not gaussian:0.1; use a number >= 0, "
            "'bound', 'Ksd' such as 2sd, or 'failure:P' such as failure:0.05");
}

TEST(ConfigMistakes, OnPolicies) {
  const auto complain = [](const std::string& policies) {
    return error_of_config("bandits = ['inc_1']\nhorizons = [10]\npolicies = " + policies + "\n");
  };
  EXPECT_EQ(complain("'spo'"),
            fmt::format("x.toml: line 3: policies: \"spo\" is not a list; allowed: {}", kPolicyForm));
  EXPECT_EQ(complain("[]"), fmt::format("x.toml: line 3: policies: [] is empty; allowed: {}", kPolicyForm));
  EXPECT_EQ(complain("[3]"), fmt::format("x.toml: line 3: policies[0]: 3 is not a text; allowed: {}", kPolicyForm));
  EXPECT_EQ(complain("['spo',\n'gredy']"),
            "x.toml: line 4: policies[1]: unknown policy 'gredy'; did you mean 'greedy'?");
  EXPECT_EQ(complain("['d-ucb:discont=1']"),
            "x.toml: line 3: policies[0]: policy 'd-ucb' has no parameter 'discont'; its parameters are discount, "
            "exploration; did you mean 'discount'?");
  EXPECT_EQ(complain("[{name = 'd-ucb', discount = 2}]"),
            "x.toml: line 3: policies[0]: policy 'd-ucb': 'discount=2' should read discount=NUMBER with a number from "
            "0 to 1");
  EXPECT_EQ(complain("[{name = 'd-ucb', discount = 'a lot'}]"),
            "x.toml: line 3: policies[0].discount: \"a lot\" is not a number; allowed: a finite number");
  EXPECT_EQ(complain("[{discount = 0.5}]"),
            "x.toml: line 3: policies[0]: name is missing; allowed: the name of a policy");
  EXPECT_EQ(complain("['spo', 'spo']"),
            "x.toml: line 3: policies[1]: \"spo\" is given twice; allowed: each policy once");
  EXPECT_EQ(complain("['d-ucb:discount=0.5', {name = 'd-ucb', discount = 0.50}]"),
            "x.toml: line 3: policies[1]: \"d-ucb:discount=0.5\" is given twice; allowed: each policy once");
  EXPECT_EQ(complain("['d-ucb', 'd-ucb:discount=0.5', 'optimal']"), "no error");
}

}  // namespace
}  // namespace longrun
