#include "longrun/experiment/internal/config_constraints.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>

#include "longrun/base/input_error.h"
#include "longrun/data/named_bandits.h"
#include "longrun/decide/constrained_policy.h"
#include "longrun/experiment/engine.h"
#include "longrun/simulate/optimum.h"
#include "longrun/simulate/play.h"
#include "longrun/simulate/play_constrained.h"
#include "longrun/simulate/regret.h"
#include "tests/error_of.h"
#include "tests/scratch.h"

namespace longrun {
namespace {

/// Six lines; the table of constraints begins on line 7.
const std::string kBeforeConstraints = R"(
bandits = ["inc_dec_3", "recommender_A"]
noise = ["none", "gaussian:0.05"]
policies = ["spo", "greedy", "exp3", "fewa", "optimal"]
horizons = [40, 200]
seeds = 2
[constraints]
)";

Config constrained_config(const std::string& constraints) {
  return parse_config(kBeforeConstraints + constraints, "x.toml");
}

std::string error_of_constraints(const std::string& constraints) {
  return error_of([&] { constrained_config(constraints); });
}

TEST(ConfigConstraints, AreNumbersListsOrTexts) {
  const Constraints read = constrained_config(R"(
units_per_round = 3
costs = "1:2"
minimum_pulls = 4
minimum_share = "0:0.25,1:0.125"
unavailable = "0:1-5"
)")
                               .constraints;
  EXPECT_EQ(read.units_per_round, 3);
  EXPECT_EQ(read.costs.at(1), 2);
  EXPECT_EQ(read.minimum_pulls.at(1), 4);
  EXPECT_EQ(read.minimum_share.at(1), 0.125);
  EXPECT_EQ(read.unavailable.at(0), (std::vector<RoundRange>{{1, 5}}));
  const Config listed = parse_config(
      "bandits = ['inc_1']\npolicies = ['spo']\nhorizons = [9]\n[constraints]\ncosts = [1, 2]\nminimum_share = [0.5, "
      "0]\n",
      "x.toml");
  EXPECT_EQ(listed.constraints.costs.at(1), 2);
  EXPECT_EQ(listed.constraints.minimum_share.at(0), 0.5);
}

TEST(ConfigConstraints, AreWrittenAsTheyAreReadAndNothingIsWrittenForNone) {
  const Config config = constrained_config("minimum_pulls = '0:3'\nunavailable = '1:3-4,1:9'\nunits_per_round = 2\n");
  const Config again = parse_config(to_toml(config), "elsewhere.toml");
  EXPECT_EQ(again.constraints, config.constraints);
  EXPECT_TRUE(same_runs(config, again));
  EXPECT_EQ(to_toml(Constraints{}), "");
  EXPECT_TRUE(constrained_config("").constraints.none());
  EXPECT_EQ(to_toml(constrained_config("")).find("constraints"), std::string::npos)
      << "stores made without them stay valid";
  EXPECT_EQ(to_toml(constrained_config("minimum_pulls = 0\n")), to_toml(constrained_config("")))
      << "nothing is asked for";
}

TEST(ConfigConstraints, AreOtherRuns) {
  EXPECT_FALSE(same_runs(constrained_config("minimum_pulls = 1\n"), constrained_config("")));
  EXPECT_FALSE(same_runs(constrained_config("minimum_pulls = 1\n"), constrained_config("minimum_pulls = 2\n")));
}

TEST(ConfigConstraints, AreRefusedWithTheirLine) {
  EXPECT_TRUE(error_of_constraints("minimum_pull = 3\n")
                  .starts_with("x.toml: line 8: constraints.minimum_pull: is not a key here"));
  EXPECT_TRUE(error_of_constraints("minimum_pulls = 2.5\n")
                  .starts_with("x.toml: line 8: constraints.minimum_pulls: '2.5' should read X for every arm"));
  EXPECT_TRUE(error_of_constraints("costs = [1, 'x']\n")
                  .starts_with("x.toml: line 8: constraints.costs[1]: \"x\" is not a number"))
      << error_of_constraints("costs = [1, 'x']\n");
  EXPECT_TRUE(
      error_of_constraints("costs = true\n").starts_with("x.toml: line 8: constraints.costs: true is not a list"))
      << error_of_constraints("costs = true\n");
  EXPECT_EQ(error_of_constraints("minimum_pulls = 30\n"),
            "x.toml: line 7: constraints: minimum_pulls: 60 units are needed, but the budget has only 40 "
            "(bandit 'inc_dec_3', horizon 40)");
  EXPECT_NE(error_of_constraints("minimum_pulls = '5:1'\n").find("arm 5 is not one of 0..1 (bandit 'inc_dec_3'"),
            std::string::npos);
}

TEST(ConfigConstraints, AreCheckedForEveryNumberOfArmsOfARandomFamily) {
  // Of the instances 1 to 9, neither the one with the fewest arms nor the one with the most is the first or the last.
  constexpr std::uint32_t kSeeds = 9;
  std::vector<Arm> arms;
  for (std::uint32_t seed = 1; seed <= kSeeds; ++seed) {
    arms.push_back(named_bandit(fmt::format("random_rising_{}", seed)).arm_count());
  }
  const auto smallest = std::min_element(arms.begin(), arms.end());
  ASSERT_LT(*smallest, std::min(arms.front(), arms.back()));
  const auto error_with_seeds = [&](const std::string& constraints) {
    return error_of([&] {
      parse_config(fmt::format("bandits = ['random_rising_*']\npolicies = ['spo']\nhorizons = [500]\nseeds = {}\n"
                               "[constraints]\n{}",
                               kSeeds, constraints),
                   "x.toml");
    });
  };
  EXPECT_EQ(error_with_seeds(fmt::format("minimum_pulls = '{}:1'\n", *smallest)),
            fmt::format("x.toml: line 5: constraints: minimum_pulls: arm {} is not one of 0..{} (bandit "
                        "'random_rising_{}', horizon 500)",
                        *smallest, *smallest - 1, smallest - arms.begin() + 1));
  EXPECT_EQ(error_with_seeds(fmt::format("minimum_pulls = '{}:1'\n", *smallest - 1)), "no error");
  // The most arms need the largest budget.
  const Arm most = *std::max_element(arms.begin(), arms.end());
  ASSERT_GT(most, std::max(arms.front(), arms.back()));
  EXPECT_NE(error_with_seeds(fmt::format("minimum_pulls = {}\n", 500 / most + 1)).find("units are needed"),
            std::string::npos);
  EXPECT_EQ(error_with_seeds(fmt::format("minimum_pulls = {}\n", 500 / most)), "no error");
}

TEST(ConfigConstraints, AtTheTopHoldForEveryFamilyWithoutItsOwn) {
  const std::vector<Config> families = parse_configs(R"(
bandits = ["inc_1"]
policies = ["spo"]
horizons = [20]
[constraints]
minimum_pulls = 3
[[family]]
name = "a"
[[family]]
name = "b"
[family.constraints]
units_per_round = 4
)",
                                                     "x.toml");
  ASSERT_EQ(families.size(), 2U);
  EXPECT_EQ(families[0].constraints.minimum_pulls.every, 3);
  EXPECT_EQ(families[1].constraints.minimum_pulls.every, 0);
  EXPECT_EQ(families[1].constraints.units_per_round, 4);
}

TEST(ConfigConstraints, AreMetByEveryRunOfTheEngine) {
  const Config config = constrained_config(R"(
units_per_round = 3
costs = "1:2"
minimum_pulls = "0:7,1:5"
minimum_share = "0:0.2"
unavailable = "1:8-60"
)");
  const std::string folder = scratch_path("constrained");
  std::filesystem::remove_all(folder);
  Store store(folder, Store::Access::write);
  const Progress progress = run_experiment(config, store, {});
  EXPECT_EQ(progress.runs_done, config.runs());
  std::size_t runs = 0;
  store.for_each_run(config, [&](const Unit& unit, const ContestRun& run) {
    ++runs;
    Bandit bandit = config.bandits[unit.bandit].at(unit.seed);
    bandit.noise = config.noises[unit.noise];
    const Pulls horizon = config.horizons[run.horizon];
    const PolicyChoice& policy = config.policies[run.policy];
    const Allocation best = optimal_allocation(bandit, horizon, config.constraints);
    Setting setting{.arms = bandit.arm_count(),
                    .horizon = horizon,
                    .noise = bandit.noise,
                    .seed = config.seed,
                    .replicate = unit.seed};
    if (policy.entry().traits.needs_plan) setting.plan = best.pulls;
    const RunResult alone =
        play_constrained(World(bandit, config.seed, unit.seed), policy, setting, config.constraints);
    EXPECT_EQ(run.pulls, alone.pulls) << policy.text();
    EXPECT_NEAR(run.optimum, best.value, 1e-9);
    EXPECT_GE(policy_regret(run.optimum, run.earned), 0) << policy.text();
    EXPECT_GE(run.pulls[0], 7);
    EXPECT_GE(run.pulls[1], 5);
    EXPECT_LE(run.pulls[0] + 2 * run.pulls[1], horizon);
  });
  EXPECT_EQ(runs, config.runs());
  EXPECT_EQ(run_experiment(config, store, {}).runs_before, config.runs()) << "nothing is left to do";
}

}  // namespace
}  // namespace longrun
