#include "longrun/experiment/internal/config_lps.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>

#include "longrun/experiment/store.h"
#include "tests/error_of.h"

namespace longrun {
namespace {

constexpr const char* kTwoLps = R"(title = "Two"
group = "G"
claim = "C"
seed = 7

[[lp]]
title = 'rising "fast"'
arm = {formula = "saturating_power", ceiling = 0.95, drop = 0.85, exponent = 0.3333333333333333}
noise = "uniform:0.1"
observed = 5
future = 7

[[lp]]
title = "given"
arm = {name = "ignored", rewards = [0.25, 0.5, 0.75], after_end = 0.125}
noise = "gaussian:0.05"
observed = 2
future = 9
)";

std::string error_of_lps(const std::string& text) {
  std::string message = error_of([&] { parse_config(text, "x.toml"); });
  EXPECT_TRUE(message == "no error" || message.starts_with("x.toml: line ")) << message;
  return message;
}

/// Returns the error of an [[lp]], which begins in line 1, with one of its lines replaced; "" leaves it out.
std::string error_with(const std::string& key, const std::string& line) {
  const std::vector<std::pair<std::string, std::string>> usual{{"title", "title = 't'"},
                                                               {"arm", "arm = {rewards = [0.1, 0.2, 0.3]}"},
                                                               {"noise", "noise = 'none'"},
                                                               {"observed", "observed = 2"},
                                                               {"future", "future = 1"}};
  std::string text = "[[lp]]\n";
  for (const auto& [name, usually] : usual) text += (name == key ? line : usually) + "\n";
  return error_of_lps(text);
}

TEST(ConfigLps, ReadsEveryField) {
  const Config config = parse_config(kTwoLps, "two.toml");
  EXPECT_EQ(config.name, "two");
  EXPECT_EQ(config.title, "Two");
  EXPECT_EQ(config.group, "G");
  EXPECT_EQ(config.claim, "C");
  EXPECT_EQ(config.seed, 7U);
  ASSERT_EQ(config.illustrations.size(), 2U);
  const LpChoice& first = config.illustrations[0];
  EXPECT_EQ(first.title, "rising \"fast\"");
  EXPECT_DOUBLE_EQ(first.curve.reward(1), 0.1);
  EXPECT_EQ(to_text(first.noise), "uniform:0.1");
  EXPECT_EQ(first.observed, 5);
  EXPECT_EQ(first.future, 7);
  const LpChoice& second = config.illustrations[1];
  EXPECT_EQ(second.curve.reward(3), 0.75);
  EXPECT_EQ(second.curve.reward(4), 0.125);
  EXPECT_EQ(second.observed, 2);
  EXPECT_EQ(second.future, 9);
}

TEST(ConfigLps, NeedNoBanditsOrPolicies) {
  const Config config = parse_config(kTwoLps, "two.toml");
  EXPECT_EQ(config.runs(), 0U);
  EXPECT_EQ(config.steps(), 0U);
  EXPECT_EQ(unit_count(config), 0U);
  EXPECT_TRUE(config.policies.empty());
  EXPECT_TRUE(config.checks.empty());
}

TEST(ConfigLps, WrittenOutTheyReadTheSame) {
  const Config config = parse_config(kTwoLps, "two.toml");
  const Config read = parse_config(to_toml(config), "elsewhere/two.toml");
  EXPECT_EQ(to_toml(read), to_toml(config));
  EXPECT_EQ(read.title, "Two");
  EXPECT_EQ(read.group, "G");
  EXPECT_EQ(read.claim, "C");
  EXPECT_EQ(read.seed, 7U);
  ASSERT_EQ(read.illustrations.size(), 2U);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(read.illustrations[i].title, config.illustrations[i].title);
    EXPECT_EQ(to_text(read.illustrations[i].noise), to_text(config.illustrations[i].noise));
    EXPECT_EQ(read.illustrations[i].observed, config.illustrations[i].observed);
    EXPECT_EQ(read.illustrations[i].future, config.illustrations[i].future);
    for (Pulls pull = 1; pull <= 11; ++pull) {
      EXPECT_EQ(read.illustrations[i].curve.reward(pull), config.illustrations[i].curve.reward(pull));
    }
  }
}

TEST(ConfigLps, TitlesDoNotMatterForTheRunsAndTheRestDoes) {
  const Config config = parse_config(kTwoLps, "two.toml");
  const auto changed = [](const std::string& from, const std::string& to) {
    std::string text = kTwoLps;
    text.replace(text.find(from), from.size(), to);
    return parse_config(text, "two.toml");
  };
  EXPECT_TRUE(same_runs(changed("claim = \"C\"", "claim = \"D\""), config));
  EXPECT_FALSE(same_runs(changed("seed = 7", "seed = 8"), config));
  EXPECT_FALSE(same_runs(changed("observed = 5", "observed = 4"), config));
  EXPECT_FALSE(same_runs(changed("0.85", "0.8"), config));
  EXPECT_FALSE(same_runs(changed("uniform:0.1", "uniform:0.2"), config));
}

TEST(ConfigLps, AFormulaOrATableOfExactlyThatLengthIsAccepted) {
  EXPECT_EQ(error_with("", ""), "no error");
  EXPECT_EQ(
      error_with("future", "future = 2"),
      "x.toml: line 3: lp[0].arm: has 3 rewards; allowed: at least 4, as many as 'observed' and 'future' together");
  EXPECT_EQ(error_with("arm", "arm = {rewards = [0.1], after_end = 0}"), "no error");
}

// ---- what can be wrong

TEST(ConfigLpMistakes, OnTooFewRewards) {
  EXPECT_EQ(
      error_with("arm", "arm = {rewards = [0.1, 0.2]}"),
      "x.toml: line 3: lp[0].arm: has 2 rewards; allowed: at least 3, as many as 'observed' and 'future' together");
  EXPECT_EQ(error_with("arm", "arm = {rewards = []}"),
            "x.toml: line 3: lp[0].arm.rewards: [] is empty; allowed: the mean reward of each pull, 0 to 1");
}

TEST(ConfigLpMistakes, OnKeysThatBelongToRuns) {
  const std::string allowed = "is not a key here; allowed: title, group, claim, seed, lp";
  for (const char* key : {"bandits", "noise", "policies", "horizons", "checks", "half_width"}) {
    EXPECT_EQ(error_of_lps(fmt::format("{} = 1\n{}", key, kTwoLps)),
              fmt::format("x.toml: line 1: {}: {}", key, allowed));
  }
  EXPECT_EQ(error_of_lps("titel = 't'\n[[lp]]\n"),
            fmt::format("x.toml: line 1: titel: {}; did you mean 'title'?", allowed));
  EXPECT_EQ(error_of_lps(std::string(kTwoLps) + "[[bandit]]\nname = 'm'\narms = [{rewards = [1]}]\n").substr(0, 49),
            "x.toml: line 19: bandit: is not a key here; allow");
}

TEST(ConfigLpMistakes, OnUnknownKeys) {
  EXPECT_EQ(
      error_with("future", "future = 1\nfutur = 2"),
      "x.toml: line 7: lp[0].futur: is not a key here; allowed: title, arm, noise, observed, future; did you mean "
      "'future'?");
  EXPECT_EQ(error_with("title", "title = 't'\npolicy = 'spo'").substr(0, 55),
            "x.toml: line 3: lp[0].policy: is not a key here; allowe");
}

TEST(ConfigLpMistakes, OnMissingKeys) {
  const std::map<std::string, std::string> expected{
      {"title", "a text"},
      {"arm", "{formula = NAME, ...} or {rewards = [...]}"},
      {"noise", "a text such as \"uniform:0.1\""},
      {"observed", "a number of pulls"},
      {"future", "a number of pulls"},
  };
  for (const auto& [key, allowed] : expected) {
    EXPECT_EQ(error_with(key, ""), fmt::format("x.toml: line 1: lp[0]: {} is missing; allowed: {}", key, allowed));
  }
}

TEST(ConfigLpMistakes, OnValues) {
  EXPECT_EQ(error_with("title", "title = 3"), "x.toml: line 2: lp[0].title: 3 is not a text; allowed: a text");
  EXPECT_EQ(error_with("noise", "noise = 0.1"),
            "x.toml: line 4: lp[0].noise: 0.1 is not a text; allowed: a text such as \"uniform:0.1\"");
  const std::string noise = error_with("noise", "noise = 'gausian:0.1'");
  EXPECT_TRUE(noise.starts_with("x.toml: line 4: lp[0].noise: unknown noise 'gausian:0.1'")) << noise;
  EXPECT_TRUE(noise.ends_with("did you mean 'gaussian'?")) << noise;
  EXPECT_EQ(error_with("observed", "observed = 0"),
            "x.toml: line 5: lp[0].observed: 0 is out of range; allowed: 1 to 1000");
  EXPECT_EQ(error_with("observed", "observed = 2.5"),
            "x.toml: line 5: lp[0].observed: 2.5 is not a whole number; allowed: 1 to 1000");
  EXPECT_EQ(error_with("future", "future = 1001"),
            "x.toml: line 6: lp[0].future: 1001 is out of range; allowed: 1 to 1000");
  EXPECT_EQ(error_with("future", "future = 'all'"),
            "x.toml: line 6: lp[0].future: \"all\" is not a whole number; allowed: 1 to 1000");
  EXPECT_EQ(error_with("arm", "arm = {formula = 'constant', level = 2}").substr(0, 66),
            "x.toml: line 3: lp[0].arm: reward 2 at pull 1 is outside [0, 1]; a");
  EXPECT_EQ(error_with("arm", "arm = 'inc_1'").substr(0, 48), "x.toml: line 3: lp[0].arm: \"inc_1\" is not an arm");
}

TEST(ConfigLpMistakes, OnTheirShape) {
  constexpr std::string_view kForm = "[[lp]] tables with title, arm, noise, observed and future";
  EXPECT_EQ(error_of_lps("lp = 3\n"), fmt::format("x.toml: line 1: lp: 3 is not a list; allowed: {}", kForm));
  EXPECT_EQ(error_of_lps("lp = []\n"), fmt::format("x.toml: line 1: lp: [] is empty; allowed: {}", kForm));
  EXPECT_EQ(error_of_lps("[lp]\ntitle = 't'\n"),
            fmt::format("x.toml: line 1: lp: a table is not a list; allowed: {}", kForm));
  EXPECT_EQ(error_of_lps("lp = ['t']\n"),
            "x.toml: line 1: lp[0]: \"t\" is not a table; allowed: a table of title, arm, noise, observed, future");
}

}  // namespace
}  // namespace longrun
