#include "longrun/experiment/internal/config_policies.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include "longrun/experiment/config.h"
#include "tests/error_of.h"

namespace longrun {
namespace {

Config config_with_policies(const std::string& policies) {
  return parse_config("bandits = ['inc_1']\nhorizons = [10]\npolicies = " + policies + "\n", "x.toml");
}

std::vector<std::string> texts_of(const std::string& policies) {
  std::vector<std::string> texts;
  for (const PolicyChoice& policy : config_with_policies(policies).policies) texts.push_back(policy.text());
  return texts;
}

std::string error_of_policies(const std::string& policies) {
  return error_of([&] { config_with_policies(policies); });
}

using Texts = std::vector<std::string>;

TEST(PolicyGrid, AListIsOnePolicyPerValueInItsOrder) {
  EXPECT_EQ(texts_of("['spo', {name = 'sw-ucb', window = [400, 100, 200]}, 'optimal']"),
            (Texts{"spo", "sw-ucb:window=400", "sw-ucb:window=100", "sw-ucb:window=200", "optimal"}));
  EXPECT_EQ(texts_of("[{name = 'sw-ucb', window = [100]}]"), Texts{"sw-ucb:window=100"});
}

TEST(PolicyGrid, SeveralListsAreCombinedAndTheLastOfTheFileVariesFastest) {
  EXPECT_EQ(texts_of("[{name = 'sw-ucb', window = [100, 200], exploration = [0.5, 1, 2]}]"),
            (Texts{"sw-ucb:exploration=0.5,window=100", "sw-ucb:exploration=1,window=100",
                   "sw-ucb:exploration=2,window=100", "sw-ucb:exploration=0.5,window=200",
                   "sw-ucb:exploration=1,window=200", "sw-ucb:exploration=2,window=200"}));
  EXPECT_EQ(texts_of("[{exploration = [0.5, 1], window = [100, 200], name = 'sw-ucb'}]"),
            (Texts{"sw-ucb:exploration=0.5,window=100", "sw-ucb:exploration=0.5,window=200",
                   "sw-ucb:exploration=1,window=100", "sw-ucb:exploration=1,window=200"}));
  EXPECT_EQ(texts_of("[{name = 'd-ucb', discount = [0.5, 0.9], exploration = 2}]"),
            (Texts{"d-ucb:discount=0.5,exploration=2", "d-ucb:discount=0.9,exploration=2"}));
}

TEST(PolicyGrid, WrittenOutItReadsTheSame) {
  const Config config = config_with_policies("[{name = 'sw-ucb', window = [100, 200], exploration = [0.5, 1]}]");
  EXPECT_TRUE(same_runs(parse_config(to_toml(config), "x.toml"), config));
  EXPECT_EQ(config.runs(), 4U);
}

TEST(PolicyGridMistakes, DuplicatesAreRefused) {
  EXPECT_EQ(error_of_policies("[{name = 'sw-ucb', window = [100, 200, 100]}]"),
            "x.toml: line 3: policies[0]: \"sw-ucb:window=100\" is given twice; allowed: each policy once");
  EXPECT_EQ(error_of_policies("['sw-ucb:window=200', {name = 'sw-ucb', window = [100, 200]}]"),
            "x.toml: line 3: policies[1]: \"sw-ucb:window=200\" is given twice; allowed: each policy once");
}

TEST(PolicyGridMistakes, WrongValuesAreNamedWithTheirPlace) {
  EXPECT_EQ(error_of_policies("[{name = 'sw-ucb', window = []}]"),
            "x.toml: line 3: policies[0].window: [] is empty; allowed: a list of numbers");
  EXPECT_EQ(error_of_policies("[{name = 'sw-ucb', window = [100, 'wide']}]"),
            "x.toml: line 3: policies[0].window[1]: \"wide\" is not a number; allowed: a finite number");
  EXPECT_EQ(error_of_policies("[{name = 'sw-ucb', window = [[100]]}]"),
            "x.toml: line 3: policies[0].window[0]: a list is not a number; allowed: a finite number");
  EXPECT_TRUE(error_of_policies("[{name = 'd-ucb', discount = [0.5, 2]}]")
                  .starts_with("x.toml: line 3: policies[0]: policy 'd-ucb': 'discount=2' "));
  EXPECT_TRUE(error_of_policies("[{name = 'sw-ucb', widow = [100, 200]}]")
                  .starts_with("x.toml: line 3: policies[0]: policy 'sw-ucb' has no parameter 'widow'"));
}

TEST(PolicyGridMistakes, TooManyPoliciesAreRefused) {
  std::vector<int> values(40);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<int>(i) + 1;
  const std::string list = fmt::format("[{}]", fmt::join(values, ", "));
  EXPECT_EQ(error_of_policies(fmt::format("[{{name = 'sw-ucb', window = {0}, exploration = {0}}}]", list)),
            "x.toml: line 3: policies[0]: the lists combine to more than 1000 policies; allowed: at most 1000");
  const std::string shorter = list.substr(0, list.find(", 21")) + "]";
  EXPECT_EQ(
      error_of_policies(fmt::format("[{{name = 'sw-ucb', window = {0}, exploration = {1}}}, "
                                    "{{name = 'd-ucb', exploration = {0}, discount = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6]}}]",
                                    list, shorter)),
      "x.toml: line 3: policies[1]: these are 1040 policies; allowed: at most 1000");
}

}  // namespace
}  // namespace longrun
