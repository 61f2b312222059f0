// The errors of the bandits of experiment files.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "longrun/data/named_bandits.h"
#include "longrun/experiment/config.h"
#include "tests/config_text.h"
#include "tests/scratch.h"

namespace longrun {
namespace {

constexpr std::string_view kArmForm = R"(a list such as [{formula = "constant", level = 0.3}, {rewards = [0.1, 0.2]}])";
constexpr std::string_view kFormulas =
    "constant, saturating_power, capped_power, rise_and_fall, novelty, shifted_power, saturating_exponential, hill, "
    "step, logistic, gompertz, two_rises";

std::string error_of_arms(const std::string& arms) {
  return error_of_config("policies = ['spo']\nhorizons = [100]\n[[bandit]]\nname = 'mine'\narms = [" + arms + "]\n");
}

TEST(ConfigMistakes, OnNamesOfBandits) {
  const auto complain = [](const std::string& bandits) {
    return error_of_config("policies = ['spo']\nhorizons = [10]\nbandits = " + bandits + "\n");
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
    const std::string text =
        error_of_config("horizons = [1, 3]\npolicies = ['spo']\nbandits = ['" + name + "']\n", path);
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
      error_of_config(head + "[bandit]\nname = 'a'\n" + arms),
      "x.toml: line 3: bandit: a table is not a list; allowed: [[bandit]] with name = \"mine\" and arms = [{formula = "
      "\"constant\", level = 0.3}]");
  EXPECT_EQ(error_of_config(head + "[[bandit]]\n" + arms),
            "x.toml: line 3: bandit[0]: name is missing; allowed: a text between quotes");
  EXPECT_EQ(error_of_config(head + "[[bandit]]\nname = 'a'\n"),
            fmt::format("x.toml: line 3: bandit[0]: arms is missing; allowed: {}", kArmForm));
  EXPECT_EQ(error_of_config(head + "[[bandit]]\nname = 'a'\narm = []\n"),
            "x.toml: line 5: bandit[0].arm: is not a key here; allowed: name, arms; did you mean 'arms'?");
  EXPECT_EQ(error_of_config(head + "[[bandit]]\nname = ''\n" + arms),
            "x.toml: line 4: bandit[0].name: \"\" is not a name; allowed: any text without '*'");
  EXPECT_EQ(error_of_config(head + "[[bandit]]\nname = 'a_*'\n" + arms),
            "x.toml: line 4: bandit[0].name: \"a_*\" is not a name; allowed: any text without '*'");
  EXPECT_EQ(error_of_config(head + "[[bandit]]\nname = 'inc_1'\n" + arms),
            "x.toml: line 4: bandit[0].name: \"inc_1\" is the name of a built-in bandit; allowed: any "
            "other name");
  EXPECT_EQ(error_of_config(head + "[[bandit]]\nname = 'a'\n" + arms + "[[bandit]]\nname = 'a'\n" + arms),
            "x.toml: line 7: bandit[1].name: \"a\" is given twice; allowed: each bandit once");
}

TEST(ConfigMistakes, OnArms) {
  EXPECT_EQ(error_of_arms(""), fmt::format("x.toml: line 5: bandit[0].arms: [] is empty; allowed: {}", kArmForm));
  EXPECT_EQ(error_of_arms("0.5"),
            "x.toml: line 5: bandit[0].arms[0]: 0.5 is not an arm; allowed: tables such as {formula = \"constant\", "
            "level = 0.3} or {rewards = [0.1, 0.2]}");
  EXPECT_EQ(error_of_arms("{level = 0.5}"),
            fmt::format("x.toml: line 5: bandit[0].arms[0]: formula is missing; allowed: formula = NAME, one of {}, or "
                        "rewards = [...]",
                        kFormulas));
  EXPECT_EQ(
      error_of_arms("{formula = 'constant', level = 0.5},\n{formula = 'constnat', level = 0.5}"),
      fmt::format("x.toml: line 6: bandit[0].arms[1].formula: \"constnat\" is not a formula; allowed: {}; did you mean "
                  "'constant'?",
                  kFormulas));
  EXPECT_EQ(error_of_arms("{formula = 'constant', levl = 0.5}"),
            "x.toml: line 5: bandit[0].arms[0].levl: is not a key here; allowed: name, formula, level; did you mean "
            "'level'?");
  EXPECT_EQ(error_of_arms("{formula = 'capped_power', ceiling = 1, rise = 10}"),
            "x.toml: line 5: bandit[0].arms[0]: exponent is missing; allowed: a finite number");
  EXPECT_EQ(error_of_arms("{formula = 'constant', level = 'high'}"),
            "x.toml: line 5: bandit[0].arms[0].level: \"high\" is not a number; allowed: a finite number");
  EXPECT_EQ(
      error_of_arms("{formula = 'constant', level = 1.5}"),
      "x.toml: line 5: bandit[0].arms[0]: reward 1.5 at pull 1 is outside [0, 1]; allowed: curves that stay in [0, 1] "
      "up to the longest horizon, 100");
  EXPECT_EQ(
      error_of_arms("{formula = 'saturating_power', ceiling = 0, drop = -0.125, exponent = -0.5}"),
      "x.toml: line 5: bandit[0].arms[0]: reward 1.0077822185373186 at pull 65 is outside [0, 1]; allowed: curves that "
      "stay in [0, 1] up to the longest horizon, 100");
  // 0 / 0, for which compilers have more than one name.
  const std::string nowhere =
      error_of_arms("{formula = 'novelty', value = 1, novelty = 1, decay = 1, pull_to_value = 1, scale = 0}");
  EXPECT_NE(nowhere.find("nan at pull 1 is outside [0, 1]"), std::string::npos) << nowhere;
  EXPECT_EQ(error_of_arms("{name = 'a', formula = 'constant', level = 1}, {name = 'a', formula = 'constant', level = "
                          "1}"),
            "x.toml: line 5: bandit[0].arms[1]: the arm name \"a\" is given twice; allowed: each once");
}

TEST(ConfigMistakes, OnRewards) {
  EXPECT_EQ(error_of_arms("{rewards = []}"),
            "x.toml: line 5: bandit[0].arms[0].rewards: [] is empty; allowed: the mean reward of each pull, 0 to 1");
  EXPECT_EQ(error_of_arms("{rewards = [0.5,\n1.5]}"),
            "x.toml: line 6: bandit[0].arms[0].rewards[1]: 1.5 is not a reward; allowed: 0 to 1");
  EXPECT_EQ(error_of_arms("{rewards = [0.5], after_end = -1}"),
            "x.toml: line 5: bandit[0].arms[0].after_end: -1 is not a reward; allowed: 0 to 1");
  EXPECT_EQ(error_of_arms("{rewards = [0.5], level = 1}"),
            "x.toml: line 5: bandit[0].arms[0].level: is not a key here; allowed: name, rewards, after_end");
  EXPECT_EQ(
      error_of_arms("{rewards = [0.5, 0.5]}"),
      "x.toml: line 2: horizons: 100 is longer than bandit \"mine\", which is given for 2 pulls per arm; allowed: 1 to "
      "2");
}

}  // namespace
}  // namespace longrun
