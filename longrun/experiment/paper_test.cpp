#include "longrun/experiment/paper.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "longrun/base/input_error.h"
#include "longrun/experiment/config.h"

namespace longrun {
namespace {

std::vector<Config> configs() { return paper_configs({}); }

TEST(PaperExperiments, AreAllIncludedOnceInTheOrderOfThePaper) {
  std::vector<std::string> names;
  for (const EmbeddedFile& file : paper_experiments()) {
    EXPECT_TRUE(file.name.ends_with(".toml")) << file.name;
    names.emplace_back(file.name);
  }
  EXPECT_EQ(std::set<std::string>(names.begin(), names.end()).size(), names.size());
  ASSERT_GE(names.size(), 4U);
  EXPECT_EQ(names[0], "figure_1.toml");
  EXPECT_EQ(names[1], "figure_2.toml");
  EXPECT_EQ(names[2], "figure_3a.toml");
  EXPECT_EQ(names[3], "figure_3b.toml");
}

TEST(PaperExperiments, HaveATitleAGroupAndAClaim) {
  for (const Config& config : configs()) {
    EXPECT_NE(config.title, config.name) << config.name << " has no title";
    EXPECT_NE(config.group, "") << config.name;
    EXPECT_NE(config.claim, "") << config.name;
    EXPECT_EQ(config.claim.find('\n'), std::string::npos) << config.name;
    EXPECT_EQ(config.checks.empty(), !config.illustrations.empty()) << config.name << ": a claim that nothing checks";
    for (const Check& check : config.checks) EXPECT_FALSE(check.says.ends_with('.')) << check.says;
  }
}

TEST(PaperExperiments, HaveTheHorizonsAndSeedsOfThePaper) {
  for (const Config& config : configs()) {
    if (!config.illustrations.empty()) continue;
    EXPECT_EQ(config.horizons.size(), 100U) << config.name;
    EXPECT_EQ(config.seeds, 30U) << config.name;
  }
}

TEST(PaperExperiments, RunEveryReleasedVariantBesideItsPolicy) {
  const std::set<std::string> released{"spo", "d-ucb", "sw-ucb", "ucb"};
  for (const Config& config : configs()) {
    std::set<std::string> policies;
    for (const PolicyChoice& policy : config.policies) policies.insert(policy.text());
    for (const std::string& policy : policies) {
      EXPECT_EQ(released.contains(policy), policies.contains(policy + "@released")) << config.name << ": " << policy;
    }
  }
}

TEST(PaperExperiments, OfOneGroupFollowEachOther) {
  // The report's headings: a group that is left does not come again.
  std::vector<std::string> groups;
  for (const Config& config : configs()) {
    if (groups.empty() || groups.back() != config.group) groups.push_back(config.group);
  }
  EXPECT_EQ(std::set<std::string>(groups.begin(), groups.end()).size(), groups.size());
}

TEST(PaperConfigs, AreChosenByNameInTheOrderOfThePaper) {
  const std::vector<Config> chosen = paper_configs({"const", "figure_1"});
  ASSERT_EQ(chosen.size(), 2U);
  EXPECT_EQ(chosen[0].name, "figure_1");
  EXPECT_EQ(chosen[1].name, "const");
  try {
    paper_configs({"figre_1"});
    FAIL() << "no error";
  } catch (const InputError& error) {
    EXPECT_TRUE(std::string(error.what()).starts_with("unknown figure 'figre_1'; did you mean 'figure_1'? (allowed: "))
        << error.what();
  }
}

TEST(PaperConfigs, ShortenedTheyKeepEveryFifthHorizonAndTheLongest) {
  const Config whole = paper_configs({"figure_1"})[0];
  const Config quick = shortened(whole);
  EXPECT_EQ(quick.horizons.size(), 20U);
  EXPECT_EQ(quick.horizons.back(), whole.horizons.back());
  EXPECT_TRUE(
      std::includes(whole.horizons.begin(), whole.horizons.end(), quick.horizons.begin(), quick.horizons.end()));
  EXPECT_EQ(quick.seeds, whole.seeds / 6);
}

TEST(ArenaConfigs, TakeMorePoliciesAndOtherSeeds) {
  const std::vector<Config> arena = arena_configs({});
  const std::vector<Config> changed =
      arena_configs({.policies = {"raw-ucb:alpha=1.5", "spo"}, .development = true, .quick = true});
  ASSERT_GE(arena.size(), changed.size());
  for (std::size_t i = 0; i < changed.size(); ++i) {
    EXPECT_EQ(changed[i].name, arena[i].name);
    EXPECT_EQ(changed[i].policies.size(), arena[i].policies.size() + 1) << "the file has spo";
    EXPECT_EQ(changed[i].policies.back().text(), "raw-ucb:alpha=1.5");
    EXPECT_EQ(changed[i].first_seed, 1U);
    EXPECT_NE(arena[i].first_seed, 1U);
    EXPECT_EQ(changed[i].seeds, 5U);
  }
  EXPECT_THROW(arena_configs({.policies = {"spoo"}}), InputError);
  EXPECT_THROW(arena_configs({.policies = {"optimal"}}), InputError);
}

TEST(ArenaConfigs, ForDevelopmentHaveNoFamilyThatIsHeldOut) {
  std::set<std::string> all;
  std::set<std::string> held_out;  // names of families, and of their bandits
  for (const Config& config : arena_configs({})) {
    all.insert(config.name);
    if (!config.held_out) continue;
    held_out.insert(config.name);
    for (const BanditChoice& bandit : config.bandits) held_out.insert(bandit.name);
  }
  EXPECT_GE(held_out.size(), 4U);
  std::size_t families = 0;
  for (const bool quick : {false, true}) {
    for (const Config& config : arena_configs({.policies = {}, .development = true, .quick = quick})) {
      EXPECT_TRUE(all.contains(config.name)) << config.name;
      EXPECT_FALSE(held_out.contains(config.name)) << config.name;
      for (const BanditChoice& bandit : config.bandits) EXPECT_FALSE(held_out.contains(bandit.name)) << bandit.name;
      families += quick ? 0 : 1;
    }
  }
  EXPECT_EQ(families, 13U) << "whose scores are compared with those of earlier versions";
}

TEST(ArenaConfigs, OfOnlySomePoliciesHaveTheYardstickAndThese) {
  for (const Config& config : arena_configs({.policies = {"raw-ucb", "spo:failure=0.2"}, .only = true})) {
    std::vector<std::string> policies;
    for (const PolicyChoice& policy : config.policies) policies.push_back(policy.text());
    EXPECT_EQ(policies, (std::vector<std::string>{"spo", "raw-ucb", "spo:failure=0.2"})) << config.name;
  }
}

}  // namespace
}  // namespace longrun
