#include "longrun/experiment/paper.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "longrun/experiment/config.h"

namespace longrun {
namespace {

std::vector<Config> configs() {
  std::vector<Config> all;
  for (const EmbeddedFile& file : paper_experiments()) {
    all.push_back(parse_config(file.text, fmt::format("experiments/{}", file.name)));
  }
  return all;
}

TEST(PaperExperiments, AreEachThereOnceInTheOrderOfThePaper) {
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

TEST(PaperExperiments, ParseAndSayWhatTheyAreAbout) {
  for (const Config& config : configs()) {
    EXPECT_NE(config.title, config.name) << config.name << " has no title";
    EXPECT_NE(config.group, "") << config.name;
    EXPECT_NE(config.claim, "") << config.name;
    EXPECT_EQ(config.claim.find('\n'), std::string::npos) << config.name;
    EXPECT_EQ(config.checks.empty(), !config.illustrations.empty()) << config.name << ": a claim that nothing checks";
    for (const Check& check : config.checks) EXPECT_FALSE(check.says.ends_with('.')) << check.says;
  }
}

TEST(PaperExperiments, HaveThePapersHorizonsAndSeeds) {
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

TEST(PaperExperiments, AreFoundUnderTheirGroupWithoutInterruption) {
  // The report's headings: a group that is left does not come again.
  std::vector<std::string> groups;
  for (const Config& config : configs()) {
    if (groups.empty() || groups.back() != config.group) groups.push_back(config.group);
  }
  EXPECT_EQ(std::set<std::string>(groups.begin(), groups.end()).size(), groups.size());
}

}  // namespace
}  // namespace longrun
