#include <fmt/format.h>
#include <gtest/gtest.h>

#include "longrun/experiment/config.h"
#include "longrun/experiment/paper.h"
#include "longrun/experiment/store.h"
#include "tests/error_of.h"

namespace longrun {
namespace {

constexpr const char* kTwoFamilies = R"(
title = "Both"
noise = ["gaussian:0.1"]
policies = ["spo", "greedy"]
seeds = 3
first_seed = 11

[[family]]
name = "a"
bandits = ["inc_1"]
horizons = [10]

[[family]]
name = "b"
title = "Only this"
noise = ["none"]
bandits = ["const_*"]
horizons = [20, 30]
)";

std::string error_of_families(const std::string& text) {
  return error_of([&] { parse_configs(text, "folder/x.toml"); });
}

TEST(Families, AreExperimentsThatShareTheKeysAtTheTop) {
  const std::vector<Config> configs = parse_configs(kTwoFamilies, "folder/x.toml");
  ASSERT_EQ(configs.size(), 2U);
  EXPECT_EQ(configs[0].name, "x.a");
  EXPECT_EQ(configs[0].title, "Both");
  EXPECT_EQ(to_text(configs[0].noises.at(0)), "gaussian:0.1");
  EXPECT_EQ(configs[1].name, "x.b");
  EXPECT_EQ(configs[1].title, "Only this");
  EXPECT_EQ(to_text(configs[1].noises.at(0)), "none");
  EXPECT_EQ(configs[1].horizons, (std::vector<Pulls>{20, 30}));
  for (const Config& config : configs) {
    EXPECT_EQ(config.policies.size(), 2U);
    EXPECT_EQ(config.seeds, 3U);
    const Config again = parse_config(to_toml(config), config.path);
    EXPECT_EQ(again.name, config.name) << "as the store reads it";
    EXPECT_TRUE(same_runs(again, config));
  }
}

TEST(Families, AFileWithoutThemIsOneExperiment) {
  const std::string text = "bandits = ['inc_1']\npolicies = ['spo']\nhorizons = [10]\n";
  const std::vector<Config> configs = parse_configs(text, "x.toml");
  ASSERT_EQ(configs.size(), 1U);
  EXPECT_EQ(configs[0].name, "x");
}

TEST(FirstSeed, IsTheFirstOfTheSeeds) {
  const Config config = parse_configs(kTwoFamilies, "x.toml").at(1);
  EXPECT_EQ(unit_at(config, 0).seed, 11U);
  EXPECT_EQ(unit_at(config, 2).seed, 13U);
  Config other = config;
  other.first_seed = 1;
  EXPECT_FALSE(same_runs(config, other));
}

TEST(FamilyMistakes, AreReportedWithTheirLine) {
  EXPECT_EQ(error_of_families("[[family]]\nbandits = ['inc_1']\n"),
            "folder/x.toml: line 1: family[0]: name is missing; allowed: a text between quotes");
  EXPECT_EQ(
      error_of_families("policies = ['spo']\n[[family]]\nname = 'a'\nbandits = ['inc_1']\n"),
      "folder/x.toml: line 2: family[0]: horizons is missing; allowed: a list such as [100, 200], or {from = 5, to "
      "= 20000, count = 100}");
  EXPECT_EQ(
      error_of_families("horizons = [5]\npolicies = ['spo']\n[[family]]\nname = 'a'\nbandits = ['inc_1']\n[[family]]\n"
                        "name = 'a'\nbandits = ['inc_1']\n"),
      "folder/x.toml: line 7: family[1].name: \"a\" is given twice; allowed: each family once");
  EXPECT_EQ(error_of_families("polices = ['spo']\n[[family]]\nname = 'a'\n").substr(0, 44),
            "folder/x.toml: line 1: polices: is not a key");
  EXPECT_EQ(error_of_families("family = 3\n").substr(0, 47), "folder/x.toml: line 1: family: 3 is not a list;");
  EXPECT_EQ(error_of_families("family = [3]\n").substr(0, 51), "folder/x.toml: line 1: family[0]: 3 is not a table;");
}

constexpr const char* kLp =
    "[[family.lp]]\ntitle = 't'\narm = {rewards = [0.1, 0.2, 0.3]}\nnoise = 'none'\nobserved = 2\nfuture = 1\n";

TEST(Families, OfIllustrationsMayFollowOthersWithRuns) {
  const std::vector<Config> configs =
      parse_configs(fmt::format("{}[[family]]\nname = 'c'\nseed = 3\n{}", kTwoFamilies, kLp), "folder/x.toml");
  ASSERT_EQ(configs.size(), 3U);
  EXPECT_EQ(configs[2].illustrations.size(), 1U);
  EXPECT_EQ(configs[2].runs(), 0U);
  EXPECT_EQ(parse_config(to_toml(configs[2]), configs[2].path).illustrations.size(), 1U);
}

TEST(FamilyMistakes, IllustrationsHaveNoKeysOfRuns) {
  const std::string allowed = "is not a key here; allowed: title, group, claim, seed, lp, ";
  for (const char* key : {"bandits", "noise", "policies", "horizons", "checks", "half_width"}) {
    EXPECT_EQ(error_of_families(fmt::format("[[family]]\nname = 'a'\n{} = 1\n{}", key, kLp)),
              fmt::format("folder/x.toml: line 3: family[0].{}: {}name", key, allowed));
    const std::string at_top = fmt::format("[[lp]]\n{}", kLp + std::string_view("[[family.lp]]\n").size());
    EXPECT_EQ(error_of_families(fmt::format("{} = 1\n{}[[family]]\nname = 'a'\n", key, at_top)),
              fmt::format("folder/x.toml: line 1: {}: {}family", key, allowed));
    EXPECT_EQ(error_of_families(fmt::format("{}[[family]]\nname = 'a'\n{} = 1\n", at_top, key)),
              fmt::format("folder/x.toml: line 9: family[0].{}: {}name", key, allowed));
  }
}

TEST(Families, AreHeldOutFromTuningIfTheySaySo) {
  const std::vector<Config> configs =
      parse_configs(fmt::format("{}held_out = true\n[[family]]\nname = 'c'\nheld_out = false\nbandits = ['inc_1']\n"
                                "horizons = [10]\n",
                                kTwoFamilies),
                    "x.toml");
  ASSERT_EQ(configs.size(), 3U);
  EXPECT_FALSE(configs[0].held_out);
  EXPECT_TRUE(configs[1].held_out);
  EXPECT_FALSE(configs[2].held_out);
  EXPECT_TRUE(parse_config(to_toml(configs[1]), configs[1].path).held_out) << "as the store reads it";
  EXPECT_FALSE(parse_config(to_toml(configs[0]), configs[0].path).held_out);
  EXPECT_EQ(error_of_families("policies = ['spo']\nhorizons = [9]\n[[family]]\nname = 'a'\nbandits = ['inc_1']\n"
                              "held_out = 1\n"),
            "folder/x.toml: line 6: family[0].held_out: 1 is neither true nor false; allowed: true, false");
}

/// 13 for tuning and 5 that are held out.
constexpr std::size_t kFamilies = 18;

TEST(ArenaExperiment, HasTheFamiliesOfThePaperAndOthersAndSeedsOfItsOwn) {
  const EmbeddedFile& file = arena_experiment();
  const std::vector<Config> configs = parse_configs(file.text, std::string(file.name));
  EXPECT_EQ(configs.size(), kFamilies);
  for (const Config& config : configs) {
    EXPECT_GT(config.first_seed, config.seeds) << "development seeds are 1, 2, ...";
    EXPECT_EQ(config.horizons.size(), 3U) << config.name;
    for (const Noise& noise : config.noises) EXPECT_GT(standard_deviation(noise), 0);
  }
}

}  // namespace
}  // namespace longrun
