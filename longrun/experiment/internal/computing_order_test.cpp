#include "longrun/experiment/internal/computing_order.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "longrun/experiment/unit.h"

namespace longrun {
namespace {

Config experiment_with(const std::string& noise, const std::string& horizons, const std::string& name,
                       const std::string& bandits = "['inc_dec_3', 'inc_1']") {
  return parse_config("bandits = " + bandits + "\nnoise = " + noise +
                          "\npolicies = ['spo', 'exp3', 'ucb']\nhorizons = " + horizons + "\nseeds = 3\n",
                      name + ".toml");
}

std::vector<std::vector<std::size_t>> all_units(const std::vector<Config>& configs) {
  std::vector<std::vector<std::size_t>> units;
  for (const Config& config : configs) {
    units.emplace_back(unit_count(config));
    std::iota(units.back().begin(), units.back().end(), std::size_t{0});
  }
  return units;
}

TEST(ComputingOrder, HasEveryMissingUnitOnce) {
  const std::vector<Config> configs{experiment_with("['none', 'bernoulli']", "[10, 20]", "a"),
                                    experiment_with("['none']", "[30]", "b")};
  std::vector<std::vector<std::size_t>> missing = all_units(configs);
  missing[0].erase(missing[0].begin() + 4);
  std::vector<QueuedUnit> order = computing_order(configs, missing);
  std::vector<QueuedUnit> expected;
  for (std::size_t experiment = 0; experiment < missing.size(); ++experiment) {
    for (const std::size_t unit : missing[experiment]) expected.push_back({experiment, unit});
  }
  const auto before = [](const QueuedUnit& a, const QueuedUnit& b) {
    return std::pair(a.experiment, a.unit) < std::pair(b.experiment, b.unit);
  };
  std::sort(order.begin(), order.end(), before);
  EXPECT_EQ(order, expected);
}

TEST(ComputingOrder, RunsThatOtherUnitsRepeatComeFirstThenTheExperimentsWithLongUnits) {
  // Units of two bandits and three seeds; without noise, the first unit of each bandit makes the runs of all seeds.
  const std::vector<Config> configs{experiment_with("['bernoulli']", "[10]", "short"),
                                    experiment_with("['none']", "[20]", "none"),
                                    experiment_with("['bernoulli']", "[15, 30]", "long")};
  const std::vector<QueuedUnit> expected{
      {1, 0}, {1, 3},                                  // two bandits without noise
      {2, 0}, {2, 1}, {2, 2}, {2, 3}, {2, 4}, {2, 5},  // 15 + 30 steps for spo, 30 or 45 for the others
      {1, 1}, {1, 2}, {1, 4}, {1, 5},                  // its longest unit, computed before, had 60 steps
      {0, 0}, {0, 1}, {0, 2}, {0, 3}, {0, 4}, {0, 5},
  };
  EXPECT_EQ(computing_order(configs, all_units(configs)), expected);
}

TEST(ComputingOrder, AfterAnInterruptionTheNextUnitMakesTheRunsThatOthersRepeat) {
  const std::vector<Config> configs{experiment_with("['bernoulli', 'none']", "[20]", "mixed", "['inc_1']")};
  // Units 0 to 2 have noise, 3 to 5 have none; 3 is recorded.
  EXPECT_EQ(computing_order(configs, {{0, 1, 2, 4, 5}}),
            (std::vector<QueuedUnit>{{0, 4}, {0, 0}, {0, 1}, {0, 2}, {0, 5}}));
}

TEST(ComputingOrder, RandomBanditsRepeatNoRuns) {
  const std::vector<Config> configs{experiment_with("['none']", "[20]", "random", "['const_*']")};
  EXPECT_EQ(computing_order(configs, all_units(configs)), (std::vector<QueuedUnit>{{0, 0}, {0, 1}, {0, 2}}));
}

}  // namespace
}  // namespace longrun
