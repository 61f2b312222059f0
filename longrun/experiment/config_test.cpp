#include "longrun/experiment/config.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>

#include "longrun/data/named_bandits.h"
#include "longrun/model/half_width.h"
#include "longrun/policy/ucb.h"
#include "tests/config_text.h"
#include "tests/scratch.h"

namespace longrun {
namespace {

TEST(Config, ReadsEveryField) {
  const Config config = parse_config(R"(
title = "A title"
group = "A group"
claim = "A claim."
bandits = ["inc_dec_3", "const_*"]
noise = ["none", "gaussian:0.05", "uniform:0.2"]
half_width = "3sd"
minimum_half_width = 0.125
policies = ["spo", "d-ucb:discount=0.99", {name = "sw-ucb", window = 200, exploration = 0.5}, "optimal"]
horizons = [200, 100]
seeds = 30
seed = 2021
)",
                                     "some/where/mine.toml");
  EXPECT_EQ(config.path, "some/where/mine.toml");
  EXPECT_EQ(config.name, "mine");
  EXPECT_EQ(config.title, "A title");
  EXPECT_EQ(config.group, "A group");
  EXPECT_EQ(config.claim, "A claim.");
  ASSERT_EQ(config.bandits.size(), 2U);
  EXPECT_EQ(config.bandits[0].name, "inc_dec_3");
  EXPECT_FALSE(config.bandits[0].per_seed);
  EXPECT_EQ(config.bandits[0].at(7).name, "inc_dec_3");
  EXPECT_TRUE(config.bandits[1].per_seed);
  EXPECT_EQ(config.bandits[1].at(7).arms[0].reward(1), named_bandit("const_7").arms[0].reward(1));
  ASSERT_EQ(config.noises.size(), 3U);
  EXPECT_EQ(to_text(config.noises[0]), "none");
  EXPECT_EQ(to_text(config.noises[1]), "gaussian:0.05");
  EXPECT_EQ(to_text(config.noises[2]), "uniform:0.2");
  EXPECT_EQ(config.half_width.text, "3sd");
  EXPECT_EQ(config.half_width.minimum, 0.125);
  ASSERT_EQ(config.policies.size(), 4U);
  EXPECT_EQ(config.policies[0].text(), "spo");
  EXPECT_EQ(config.policies[1].parameters().find(kUcbDiscount), 0.99);
  EXPECT_EQ(config.policies[2].text(), "sw-ucb:exploration=0.5,window=200");
  EXPECT_EQ(config.policies[3].text(), "optimal");
  EXPECT_EQ(config.horizons, (std::vector<Pulls>{100, 200}));
  EXPECT_EQ(config.seeds, 30U);
  EXPECT_EQ(config.seed, 2021U);
  EXPECT_EQ(config.runs(), 2U * 3 * 4 * 2 * 30);
  EXPECT_EQ(config.steps(), 2U * 3 * 4 * 300 * 30);
}

TEST(Config, AMissingKeyHasADefault) {
  const Config config = config_of(kSmallestConfig);
  EXPECT_EQ(config.title, "x");
  EXPECT_EQ(config.group, "");
  EXPECT_EQ(config.claim, "");
  ASSERT_EQ(config.noises.size(), 1U);
  EXPECT_EQ(to_text(config.noises[0]), "none");
  EXPECT_EQ(config.half_width.text, "");
  EXPECT_EQ(config.half_width.minimum, 0);
  EXPECT_EQ(config.seeds, 1U);
  EXPECT_EQ(config.seed, 0U);
}

TEST(Config, HalfWidthsAreThoseOfThePaperUnlessGiven) {
  const Noise none = NoNoise{};
  const Noise gaussian = Gaussian{.sd = 0.25};
  const HalfWidthRule paper = config_of(kSmallestConfig + "minimum_half_width = 0.1").half_width;
  EXPECT_EQ(paper.at(gaussian, 10), 0.5);
  EXPECT_EQ(paper.at(Gaussian{.sd = 0.01}, 10), 0.1);
  EXPECT_EQ(paper.at(none, 10), 0) << "exact observations stay exact";
  EXPECT_FALSE(paper.depends_on_horizon());
  EXPECT_EQ(config_of(kSmallestConfig + "half_width = 0.75").half_width.at(gaussian, 10), 0.75);
  EXPECT_EQ(config_of(kSmallestConfig + "half_width = '3sd'").half_width.at(gaussian, 10), 0.75);
  const HalfWidthRule corollary = config_of(kSmallestConfig + "half_width = 'failure:0.05'").half_width;
  EXPECT_TRUE(corollary.depends_on_horizon());
  EXPECT_LT(corollary.at(gaussian, 10), corollary.at(gaussian, 1000));
}

TEST(Config, FormulasBecomeCurves) {
  const Config config = config_of(R"(
policies = ["spo"]
horizons = [100]
[[bandit]]
name = "all"
arms = [
  {formula = "constant", level = 0.3},
  {name = "rising", formula = "saturating_power", ceiling = 1, drop = 1.0, exponent = 0.5},
  {formula = "capped_power", ceiling = 0.5, rise = 50, exponent = 0.5},
  {formula = "rise_and_fall", k1 = 0.01, k2 = 0.001, c1 = 1, c2 = 0.5, l = 600, a = -0.0015},
  {formula = "novelty", value = 0.4, novelty = 0.2, decay = 0.9, pull_to_value = 0.1},
  {formula = "novelty", value = 0.4, novelty = 0.2, decay = 0.9, pull_to_value = 0.1, scale = 2},
  {rewards = [0.25, 0.5], after_end = 0.125},
]
[[bandit]]
name = "one"
[[bandit.arms]]
formula = "constant"
level = 1
)");
  ASSERT_EQ(config.bandits.size(), 2U);
  EXPECT_EQ(config.bandits[0].name, "all");
  EXPECT_EQ(config.bandits[1].name, "one");
  const Bandit bandit = config.bandits[0].at(1);
  EXPECT_EQ(bandit.name, "all");
  EXPECT_EQ(bandit.horizon, 100);
  EXPECT_EQ(bandit.arm_names, (std::vector<std::string>{"f_1", "rising", "f_3", "f_4", "f_5", "f_6", "f_7"}));
  EXPECT_EQ(bandit.arms[0].reward(50), 0.3);
  EXPECT_EQ(bandit.arms[1].reward(4), 0.5);
  EXPECT_EQ(bandit.arms[2].reward(50), 0.5);
  EXPECT_EQ(bandit.arms[3].reward(30), named_bandit("inc_dec_3").arms[0].reward(30));
  EXPECT_DOUBLE_EQ(bandit.arms[4].reward(2), 0.2 * 0.9 + 0.1 * 0.4);
  EXPECT_EQ(bandit.arms[5].reward(9), bandit.arms[4].reward(9) / 2);
  EXPECT_EQ(bandit.arms[6].reward(2), 0.5);
  EXPECT_EQ(bandit.arms[6].reward(3), 0.125);
}

TEST(Config, BanditsAreInTheOrderOfTheListAndThenOfTheirTables) {
  const Config config = config_of(R"(
bandits = ["second", "inc_1"]
policies = ["spo"]
horizons = [10]
[[bandit]]
name = "first"
arms = [{formula = "constant", level = 0.1}]
[[bandit]]
name = "second"
arms = [{formula = "constant", level = 0.2}]
)");
  ASSERT_EQ(config.bandits.size(), 3U);
  EXPECT_EQ(config.bandits[0].name, "second");
  EXPECT_EQ(config.bandits[1].name, "inc_1");
  EXPECT_EQ(config.bandits[2].name, "first");
}

TEST(Config, CsvFilesAreRelativeToTheConfig) {
  written("data/mine.csv", "tea,coffee\n0.5,0.25\n0.5,0.75\n");
  const std::string path = written("x.toml", "bandits = ['data/mine.csv']\npolicies = ['spo']\nhorizons = [2]\n");
  const Config config = load_config(path);
  EXPECT_EQ(config.bandits[0].name, "data/mine.csv");
  EXPECT_EQ(config.bandits[0].at(1).name, "data/mine.csv");
  EXPECT_EQ(config.bandits[0].at(1).arm_names[1], "coffee");
  EXPECT_EQ(config.bandits[0].at(1).arms[1].reward(2), 0.75);
}

void expect_same(const Config& read, const Config& written) {
  EXPECT_EQ(to_toml(read), to_toml(written));
  ASSERT_EQ(read.bandits.size(), written.bandits.size());
  for (std::size_t i = 0; i < read.bandits.size(); ++i) {
    const Bandit bandit = read.bandits[i].at(3);
    const Bandit expected = written.bandits[i].at(3);
    EXPECT_EQ(read.bandits[i].name, written.bandits[i].name);
    EXPECT_EQ(bandit.arm_names, expected.arm_names);
    for (std::size_t arm = 0; arm < bandit.arms.size(); ++arm) {
      for (const Pulls pull : {1, 2, 3}) EXPECT_EQ(bandit.arms[arm].reward(pull), expected.arms[arm].reward(pull));
    }
  }
  EXPECT_EQ(read.horizons, written.horizons);
  EXPECT_EQ(read.steps(), written.steps());
}

TEST(Config, WrittenOutItNeedsNoFilesAndReadsTheSame) {
  const std::string text = R"(
title = 'With "quotes", a \ and é'
claim = """
Two
lines."""
bandits = ["mine.csv", "const_*", "formulas", "inc_1_alpha_0.7"]
noise = ["none", "gaussian:0.05"]
half_width = 0.1
minimum_half_width = 0.2
policies = ["spo", {name = "d-ucb", discount = 0.3333333333333333}]
horizons = {from = 1, to = 3, count = 3}
seeds = 3
seed = 9
[[bandit]]
name = "formulas"
arms = [
  {formula = "saturating_power", ceiling = 1, drop = 1e-7, exponent = 0.1},
  {name = "n", formula = "novelty", value = 0.4, novelty = 0.2, decay = 0.9, pull_to_value = 0.1},
  {rewards = [0.25, 1], after_end = 0.1},
]
)";
  const std::string csv = written("mine.csv", "a,b\n0.1,0.3\n0.2,0.3333333333333333\n0.7,1\n");
  const Config config = load_config(written("x.toml", text));
  std::filesystem::remove(csv);
  const Config read = parse_config(to_toml(config), "elsewhere/x.toml");
  expect_same(read, config);
  EXPECT_EQ(read.title, config.title);
  EXPECT_EQ(read.claim, "Two\nlines.");
}

TEST(Config, WrittenOutItChangesWithTheRunsButNotWithComments) {
  const std::string text = "bandits = ['mine.csv']\npolicies = ['spo']\nhorizons = [1, 2]\n";
  written("mine.csv", "a,b\n0.1,0.3\n0.2,0.3\n");
  const std::string before = to_toml(load_config(written("x.toml", text)));
  EXPECT_EQ(to_toml(load_config(written("x.toml", "# a comment\n" + text))), before);
  EXPECT_NE(to_toml(load_config(written("x.toml", text + "seeds = 2\n"))), before);
  written("mine.csv", "a,b\n0.1,0.3\n0.2,0.30000000000000004\n");
  EXPECT_NE(to_toml(load_config(written("x.toml", text))), before);
}

// ---- horizons

std::vector<Pulls> horizons_of(const std::string& horizons) { return config_of(with_horizons(horizons)).horizons; }

TEST(ConfigHorizons, EvenlySpacedOnesAreRounded) {
  EXPECT_EQ(horizons_of("{from = 5, to = 10, count = 6}"), (std::vector<Pulls>{5, 6, 7, 8, 9, 10}));
  EXPECT_EQ(horizons_of("{from = 1, to = 10, count = 3, spacing = 'linear'}"), (std::vector<Pulls>{1, 6, 10}));
  const std::vector<Pulls> paper = horizons_of("{from = 5, to = 2e4, count = 100}");
  ASSERT_EQ(paper.size(), 100U);
  EXPECT_EQ(paper.front(), 5);
  EXPECT_EQ(paper.back(), 20000);
  for (std::size_t k = 0; k < paper.size(); ++k) {
    EXPECT_LE(std::abs(static_cast<double>(paper[k]) - (5 + static_cast<double>(k) * 19995 / 99)), 0.5);
  }
}

TEST(ConfigHorizons, LogarithmicOnesGrowByAFactor) {
  EXPECT_EQ(horizons_of("{from = 10, to = 10000, count = 4, spacing = 'log'}"),
            (std::vector<Pulls>{10, 100, 1000, 10000}));
  const std::vector<Pulls> long_range = horizons_of("{from = 7, to = 1000000000000, count = 60, spacing = 'log'}");
  EXPECT_EQ(long_range.size(), 60U);
  EXPECT_EQ(long_range.front(), 7);
  EXPECT_EQ(long_range.back(), 1'000'000'000'000);
}

TEST(ConfigHorizons, EqualOnesAfterRoundingAreOne) {
  const std::vector<Pulls> horizons = horizons_of("{from = 1, to = 100, count = 100, spacing = 'log'}");
  EXPECT_LT(horizons.size(), 100U);
  EXPECT_EQ(horizons.front(), 1);
  EXPECT_EQ(horizons.back(), 100);
  for (std::size_t k = 1; k < horizons.size(); ++k) EXPECT_LT(horizons[k - 1], horizons[k]);
}

TEST(ConfigHorizons, ASectionIsAccepted) {
  EXPECT_EQ(config_of("bandits = ['inc_1']\npolicies = ['spo']\n[horizons]\nfrom = 1\nto = 3\ncount = 2\n").horizons,
            (std::vector<Pulls>{1, 3}));
}

}  // namespace
}  // namespace longrun
