#include "longrun/experiment/config.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>

#include "longrun/base/input_error.h"
#include "longrun/data/named_bandits.h"
#include "longrun/model/half_width.h"
#include "longrun/policy/ucb.h"
#include "tests/scratch.h"

namespace longrun {
namespace {

/// The smallest experiment, in lines 1 to 3.
const std::string kLeast = "bandits = ['inc_dec_3']\npolicies = ['spo']\nhorizons = [10, 20]\n";

Config config_of(const std::string& text) { return parse_config(text, "x.toml"); }

/// The complaint about a text, or "none".
std::string complaint(const std::string& text, const std::string& path = "x.toml") {
  try {
    parse_config(text, path);
    return "none";
  } catch (const InputError& error) {
    return error.what();
  }
}

/// The complaint about one more line, the fourth.
std::string complaint_about(const std::string& more) { return complaint(kLeast + more + "\n"); }
std::string complaint_about_horizons(const std::string& horizons) {
  return complaint("bandits = ['inc_1']\npolicies = ['spo']\nhorizons = " + horizons + "\n");
}
std::string complaint_about_arms(const std::string& arms) {
  return complaint("policies = ['spo']\nhorizons = [100]\n[[bandit]]\nname = 'mine'\narms = [" + arms + "]\n");
}

std::vector<Pulls> horizons_of(const std::string& horizons) {
  return config_of("bandits = ['inc_1']\npolicies = ['spo']\nhorizons = " + horizons + "\n").horizons;
}

// ---- valid files

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
  const Config config = config_of(kLeast);
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
  const HalfWidthRule paper = config_of(kLeast + "minimum_half_width = 0.1").half_width;
  EXPECT_EQ(paper.at(gaussian, 10), 0.5);
  EXPECT_EQ(paper.at(Gaussian{.sd = 0.01}, 10), 0.1);
  EXPECT_EQ(paper.at(none, 10), 0) << "exact observations stay exact";
  EXPECT_FALSE(paper.depends_on_horizon());
  EXPECT_EQ(config_of(kLeast + "half_width = 0.75").half_width.at(gaussian, 10), 0.75);
  EXPECT_EQ(config_of(kLeast + "half_width = '3sd'").half_width.at(gaussian, 10), 0.75);
  const HalfWidthRule corollary = config_of(kLeast + "half_width = 'failure:0.05'").half_width;
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

// ---- what can be wrong

constexpr std::string_view kHorizonForm = "a list such as [100, 200], or {from = 5, to = 20000, count = 100}";
constexpr std::string_view kPolicyForm =
    R"(a list such as ["spo", "d-ucb:discount=0.99", {name = "sw-ucb", window = [100, 200]}])";
constexpr std::string_view kBanditForm = R"(names and CSV files, such as ["inc_dec_3", "const_*", "mine.csv"])";
constexpr std::string_view kArmForm = R"(a list such as [{formula = "constant", level = 0.3}, {rewards = [0.1, 0.2]}])";
constexpr std::string_view kFormulas =
    "constant, saturating_power, capped_power, rise_and_fall, novelty, shifted_power, saturating_exponential, hill, "
    "step";

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
  EXPECT_EQ(complaint_about("seeds = "),
            "x.toml: line 4: not valid TOML: Error while parsing key-value pair: expected value, saw '\\n'");
  EXPECT_EQ(complaint_about("seeds = 1\nseeds = 2"),
            "x.toml: line 5: not valid TOML: Error while parsing key-value pair: cannot redefine existing integer "
            "'seeds'");
  EXPECT_EQ(complaint_about("noise = [}]"),
            "x.toml: line 4: not valid TOML: Error while parsing value: could not determine value type");
  EXPECT_TRUE(complaint_about("title = \"\xff\"").starts_with("x.toml: line 4: not valid TOML: "));
  EXPECT_TRUE(complaint_about("noise = [\"none\"\n\nseeds = 3").starts_with("x.toml: line 6: not valid TOML: "));
}

TEST(ConfigMistakes, OnKeys) {
  EXPECT_EQ(complaint_about("sedes = 3"),
            "x.toml: line 4: sedes: is not a key here; allowed: title, group, claim, checks, lp, bandits, bandit, "
            "noise, half_width, "
            "minimum_half_width, policies, horizons, seeds, first_seed, seed, constraints; did you mean 'seeds'?");
  EXPECT_TRUE(complaint_about("\"a\\nb\" = 3").starts_with("x.toml: line 4: a?b: is not a key here; "));
  EXPECT_EQ(complaint("\n\nhorizon = [1]\n").substr(0, 47), "x.toml: line 3: horizon: is not a key here; all");
  EXPECT_EQ(complaint("bandits = ['inc_1']\npolicies = ['spo']\n"),
            fmt::format("x.toml: horizons is missing; allowed: {}", kHorizonForm));
  EXPECT_EQ(complaint("bandits = ['inc_1']\nhorizons = [1]\n"),
            fmt::format("x.toml: policies is missing; allowed: {}", kPolicyForm));
  EXPECT_EQ(
      complaint("policies = ['spo']\nhorizons = [1]\n"),
      fmt::format("x.toml: bandits is missing; allowed: {}, or [[bandit]] with name = \"mine\" and arms = [{{formula "
                  "= \"constant\", level = 0.3}}]",
                  kBanditForm));
}

TEST(ConfigMistakes, OnTextsAndNumbers) {
  EXPECT_EQ(complaint_about("title = 3"), "x.toml: line 4: title: 3 is not a text; allowed: a text between quotes");
  EXPECT_EQ(complaint_about("claim = [1]"),
            "x.toml: line 4: claim: a list is not a text; allowed: a text between quotes");
  EXPECT_EQ(complaint_about("group = {a = 1}"),
            "x.toml: line 4: group: a table is not a text; allowed: a text between quotes");
  EXPECT_EQ(complaint_about("group = 2021-08-19"),
            "x.toml: line 4: group: a date or time is not a text; allowed: a text between quotes");
  EXPECT_EQ(complaint_about("seeds = 'thirty'"),
            "x.toml: line 4: seeds: \"thirty\" is not a whole number; allowed: 1 to 1000000");
  EXPECT_EQ(complaint_about("seeds = true"),
            "x.toml: line 4: seeds: true is not a whole number; allowed: 1 to 1000000");
  EXPECT_EQ(complaint_about("seeds = 2.5"), "x.toml: line 4: seeds: 2.5 is not a whole number; allowed: 1 to 1000000");
  EXPECT_EQ(complaint_about("seeds = nan"), "x.toml: line 4: seeds: nan is not a whole number; allowed: 1 to 1000000");
  EXPECT_EQ(complaint_about("seeds = 0"), "x.toml: line 4: seeds: 0 is out of range; allowed: 1 to 1000000");
  EXPECT_EQ(complaint_about("seed = -1"),
            "x.toml: line 4: seed: -1 is out of range; allowed: 0 to 9223372036854775807");
  EXPECT_EQ(complaint_about("minimum_half_width = 'wide'"),
            "x.toml: line 4: minimum_half_width: \"wide\" is not a number; allowed: a finite number");
  EXPECT_EQ(complaint_about("minimum_half_width = inf"),
            "x.toml: line 4: minimum_half_width: inf is not a number; allowed: a finite number");
  EXPECT_EQ(complaint_about("minimum_half_width = -0.5"),
            "x.toml: line 4: minimum_half_width: -0.5 is negative; allowed: a number >= 0");
  EXPECT_EQ(complaint("bandits = ['inc_1']\npolicies = ['spo', 'ucb']\nhorizons = [1000000000000]\nseeds = 1000000\n"),
            "x.toml: 2e+18 steps in all would take decades; allowed: at most 1e+18");
}

TEST(ConfigMistakes, OnHorizons) {
  EXPECT_EQ(complaint_about_horizons("100"),
            fmt::format("x.toml: line 3: horizons: 100 is not a list; allowed: {}", kHorizonForm));
  EXPECT_EQ(complaint_about_horizons("[]"),
            fmt::format("x.toml: line 3: horizons: [] is empty; allowed: {}", kHorizonForm));
  EXPECT_EQ(complaint_about_horizons("[10,\n 0]"),
            "x.toml: line 4: horizons[1]: 0 is out of range; allowed: 1 to 1000000000000");
  EXPECT_EQ(complaint_about_horizons("[10, 20, 10]"),
            "x.toml: line 3: horizons[2]: 10 is given twice; allowed: each horizon once");
  EXPECT_EQ(complaint_about_horizons("{from = 0, to = 10, count = 3}"),
            "x.toml: line 3: horizons.from: 0 is out of range; allowed: 1 to 999999999999");
  EXPECT_EQ(complaint_about_horizons("{from = 10, to = 10, count = 3}"),
            "x.toml: line 3: horizons.to: 10 is out of range; allowed: 11 to 1000000000000");
  EXPECT_EQ(complaint_about_horizons("{from = 1, to = 10, count = 11}"),
            "x.toml: line 3: horizons.count: 11 is out of range; allowed: 2 to 10");
  EXPECT_EQ(complaint_about_horizons("{from = 1, to = 10, count = 1}"),
            "x.toml: line 3: horizons.count: 1 is out of range; allowed: 2 to 10");
  EXPECT_EQ(complaint_about_horizons("{from = 1, to = 10}"),
            "x.toml: line 3: horizons: count is missing; allowed: a whole number >= 2");
  EXPECT_EQ(complaint_about_horizons("{from = 1, to = 10, count = 3, step = 2}"),
            "x.toml: line 3: horizons.step: is not a key here; allowed: from, to, count, spacing");
  EXPECT_EQ(complaint_about_horizons("{from = 1, to = 10, count = 3, spacing = 'lin'}"),
            "x.toml: line 3: horizons.spacing: \"lin\" is not a spacing; allowed: linear, log; did you mean 'log'?");
}

TEST(ConfigMistakes, OnNamesOfBandits) {
  const auto complain = [](const std::string& bandits) {
    return complaint("policies = ['spo']\nhorizons = [10]\nbandits = " + bandits + "\n");
  };
  EXPECT_EQ(complain("'inc_1'"),
            fmt::format("x.toml: line 3: bandits: \"inc_1\" is not a list; allowed: {}", kBanditForm));
  EXPECT_EQ(complain("[]"), fmt::format("x.toml: line 3: bandits: [] is empty; allowed: {}", kBanditForm));
  EXPECT_EQ(complain("[3]"), fmt::format("x.toml: line 3: bandits[0]: 3 is not a text; allowed: {}", kBanditForm));
  EXPECT_EQ(complain("['inc_1',\n'inc_dec3']"),
            "x.toml: line 4: bandits[1]: unknown bandit 'inc_dec3'; did you mean 'inc_dec_3'?");
  EXPECT_EQ(complain("['inc_1', 'inc_1']"),
            "x.toml: line 3: bandits[1]: \"inc_1\" is given twice; allowed: each bandit once");
  EXPECT_EQ(complain("['const_**']"),
            "x.toml: line 3: bandits[0]: \"const_**\" is not a bandit; allowed: one '*' in a name");
  EXPECT_EQ(complain("['cons_*']"), "x.toml: line 3: bandits[0]: unknown bandit 'cons_1'; did you mean 'const'?");
  EXPECT_EQ(complain("['inc_2_alpha_*']\nseeds = 2"),
            "x.toml: line 3: bandits: bandit 'inc_2_alpha_2': alpha 2 is above 1; the second arm would not be concave");
}

TEST(ConfigMistakes, OnCsvFiles) {
  const std::string bad = written("bad.csv", "a,b\n0.1,1.5\n");
  written("brief.csv", "a,b\n0.1,0.5\n0.1,0.5\n");
  const auto complain = [&](const std::string& name) {
    const std::string path = written("x.toml", "");
    const std::string text = complaint("horizons = [1, 3]\npolicies = ['spo']\nbandits = ['" + name + "']\n", path);
    EXPECT_TRUE(text.starts_with(path + ": ")) << text;
    return text.substr(path.size() + 2);
  };
  const std::string parent = std::filesystem::path(bad).parent_path().string();
  EXPECT_EQ(complain("nope.csv"), "line 3: bandits[0]: " + parent + "/nope.csv: no such file");
  EXPECT_EQ(complain("bad.csv"), "line 3: bandits[0]: " + bad + ": line 2, column 2 (b): reward 1.5 is outside [0, 1]");
  EXPECT_EQ(
      complain("brief.csv"),
      "line 1: horizons: 3 is longer than bandit \"brief.csv\", which is given for 2 pulls per arm; allowed: 1 to 2");
  EXPECT_EQ(complain("run_*.csv"), "line 3: bandits[0]: \"run_*.csv\" is not a file; allowed: a path without '*'");
}

TEST(ConfigMistakes, OnBanditTables) {
  const std::string head = "policies = ['spo']\nhorizons = [100]\n";
  const std::string arms = "arms = [{formula = 'constant', level = 0.5}]\n";
  EXPECT_EQ(
      complaint(head + "[bandit]\nname = 'a'\n" + arms),
      "x.toml: line 3: bandit: a table is not a list; allowed: [[bandit]] with name = \"mine\" and arms = [{formula = "
      "\"constant\", level = 0.3}]");
  EXPECT_EQ(complaint(head + "[[bandit]]\n" + arms),
            "x.toml: line 3: bandit[0]: name is missing; allowed: a text between quotes");
  EXPECT_EQ(complaint(head + "[[bandit]]\nname = 'a'\n"),
            fmt::format("x.toml: line 3: bandit[0]: arms is missing; allowed: {}", kArmForm));
  EXPECT_EQ(complaint(head + "[[bandit]]\nname = 'a'\narm = []\n"),
            "x.toml: line 5: bandit[0].arm: is not a key here; allowed: name, arms; did you mean 'arms'?");
  EXPECT_EQ(complaint(head + "[[bandit]]\nname = ''\n" + arms),
            "x.toml: line 4: bandit[0].name: \"\" is not a name; allowed: any text without '*'");
  EXPECT_EQ(complaint(head + "[[bandit]]\nname = 'a_*'\n" + arms),
            "x.toml: line 4: bandit[0].name: \"a_*\" is not a name; allowed: any text without '*'");
  EXPECT_EQ(complaint(head + "[[bandit]]\nname = 'inc_1'\n" + arms),
            "x.toml: line 4: bandit[0].name: \"inc_1\" is the name of a built-in bandit; allowed: any "
            "other name");
  EXPECT_EQ(complaint(head + "[[bandit]]\nname = 'a'\n" + arms + "[[bandit]]\nname = 'a'\n" + arms),
            "x.toml: line 7: bandit[1].name: \"a\" is given twice; allowed: each bandit once");
}

TEST(ConfigMistakes, InTheNameOfTheFile) {
  try {
    parse_config("bandits = ['inc_1']\npolicies = ['spo']\nhorizons = [10]\n", "folder/\xff.toml");
    FAIL() << "no complaint";
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(), "folder/\xff.toml: the name of the file is not UTF-8; rename the file");
  }
}

TEST(ConfigMistakes, OnArms) {
  EXPECT_EQ(complaint_about_arms(""),
            fmt::format("x.toml: line 5: bandit[0].arms: [] is empty; allowed: {}", kArmForm));
  EXPECT_EQ(complaint_about_arms("0.5"),
            "x.toml: line 5: bandit[0].arms[0]: 0.5 is not an arm; allowed: tables such as {formula = \"constant\", "
            "level = 0.3} or {rewards = [0.1, 0.2]}");
  EXPECT_EQ(complaint_about_arms("{level = 0.5}"),
            fmt::format("x.toml: line 5: bandit[0].arms[0]: formula is missing; allowed: formula = NAME, one of {}, or "
                        "rewards = [...]",
                        kFormulas));
  EXPECT_EQ(
      complaint_about_arms("{formula = 'constant', level = 0.5},\n{formula = 'constnat', level = 0.5}"),
      fmt::format("x.toml: line 6: bandit[0].arms[1].formula: \"constnat\" is not a formula; allowed: {}; did you mean "
                  "'constant'?",
                  kFormulas));
  EXPECT_EQ(complaint_about_arms("{formula = 'constant', levl = 0.5}"),
            "x.toml: line 5: bandit[0].arms[0].levl: is not a key here; allowed: name, formula, level; did you mean "
            "'level'?");
  EXPECT_EQ(complaint_about_arms("{formula = 'capped_power', ceiling = 1, rise = 10}"),
            "x.toml: line 5: bandit[0].arms[0]: exponent is missing; allowed: a finite number");
  EXPECT_EQ(complaint_about_arms("{formula = 'constant', level = 'high'}"),
            "x.toml: line 5: bandit[0].arms[0].level: \"high\" is not a number; allowed: a finite number");
  EXPECT_EQ(
      complaint_about_arms("{formula = 'constant', level = 1.5}"),
      "x.toml: line 5: bandit[0].arms[0]: reward 1.5 at pull 1 is outside [0, 1]; allowed: curves that stay in [0, 1] "
      "up to the longest horizon, 100");
  EXPECT_EQ(
      complaint_about_arms("{formula = 'saturating_power', ceiling = 0, drop = -0.125, exponent = -0.5}"),
      "x.toml: line 5: bandit[0].arms[0]: reward 1.0077822185373186 at pull 65 is outside [0, 1]; allowed: curves that "
      "stay in [0, 1] up to the longest horizon, 100");
  // 0 / 0, for which compilers have more than one name.
  const std::string nowhere =
      complaint_about_arms("{formula = 'novelty', value = 1, novelty = 1, decay = 1, pull_to_value = 1, scale = 0}");
  EXPECT_NE(nowhere.find("nan at pull 1 is outside [0, 1]"), std::string::npos) << nowhere;
  EXPECT_EQ(
      complaint_about_arms("{name = 'a', formula = 'constant', level = 1}, {name = 'a', formula = 'constant', level = "
                           "1}"),
      "x.toml: line 5: bandit[0].arms[1]: the arm name \"a\" is given twice; allowed: each once");
}

TEST(ConfigMistakes, OnRewards) {
  EXPECT_EQ(complaint_about_arms("{rewards = []}"),
            "x.toml: line 5: bandit[0].arms[0].rewards: [] is empty; allowed: the mean reward of each pull, 0 to 1");
  EXPECT_EQ(complaint_about_arms("{rewards = [0.5,\n1.5]}"),
            "x.toml: line 6: bandit[0].arms[0].rewards[1]: 1.5 is not a reward; allowed: 0 to 1");
  EXPECT_EQ(complaint_about_arms("{rewards = [0.5], after_end = -1}"),
            "x.toml: line 5: bandit[0].arms[0].after_end: -1 is not a reward; allowed: 0 to 1");
  EXPECT_EQ(complaint_about_arms("{rewards = [0.5], level = 1}"),
            "x.toml: line 5: bandit[0].arms[0].level: is not a key here; allowed: name, rewards, after_end");
  EXPECT_EQ(
      complaint_about_arms("{rewards = [0.5, 0.5]}"),
      "x.toml: line 2: horizons: 100 is longer than bandit \"mine\", which is given for 2 pulls per arm; allowed: 1 to "
      "2");
}

TEST(ConfigMistakes, OnNoise) {
  EXPECT_EQ(complaint_about("noise = 'none'"),
            "x.toml: line 4: noise: \"none\" is not a list; allowed: a list such as [\"none\", \"gaussian:0.05\"]");
  EXPECT_EQ(complaint_about("noise = [0.05]"),
            "x.toml: line 4: noise[0]: 0.05 is not a text; allowed: a list such as [\"none\", \"gaussian:0.05\"]");
  EXPECT_EQ(complaint_about("noise = ['gausian:0.1']"),
            "x.toml: line 4: noise[0]: unknown noise 'gausian:0.1': use none, gaussian:SD, uniform:BOUND, "
            "beta:BOUND:SD, student:SD or "
            "bernoulli; did you mean 'gaussian'?");
  EXPECT_EQ(complaint_about("noise = ['gaussian:-1']"),
            "x.toml: line 4: noise[0]: noise 'gaussian:-1': standard deviation '-1' is not a number from 0 to 1e+100");
  EXPECT_EQ(complaint_about("noise = ['gaussian:0.1', 'gaussian:0.10']"),
            "x.toml: line 4: noise[1]: \"gaussian:0.10\" is given twice; allowed: each noise once");
  EXPECT_EQ(
      complaint_about("half_width = 'wide'"),
      "x.toml: line 4: half_width: half-width 'wide' is not a number; use a number >= 0, 'bound', 'Ksd' such as 2sd, "
      "or 'failure:P' such as failure:0.05");
  EXPECT_EQ(
      complaint_about("half_width = []"),
      "x.toml: line 4: half_width: [] is not a text; allowed: a number >= 0, \"bound\", \"2sd\" or \"failure:0.05\"");
  EXPECT_EQ(complaint_about("half_width = 'bound'\nnoise = ['uniform:0.1', 'gaussian:0.1']"),
            "x.toml: line 4: half_width: half-width 'bound' needs bounded noise, not gaussian:0.1; use a number >= 0, "
            "'bound', 'Ksd' such as 2sd, or 'failure:P' such as failure:0.05");
}

TEST(ConfigMistakes, OnPolicies) {
  const auto complain = [](const std::string& policies) {
    return complaint("bandits = ['inc_1']\nhorizons = [10]\npolicies = " + policies + "\n");
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
  EXPECT_EQ(complain("['d-ucb', 'd-ucb:discount=0.5', 'optimal']"), "none");
}

}  // namespace
}  // namespace longrun
