#include "longrun/data/sorted_rewards.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>

namespace longrun {
namespace {

std::vector<std::string> sorting_warnings(std::vector<PastPull> pulls) {
  for (std::size_t i = 0; i < pulls.size(); ++i) pulls[i].line = static_cast<std::int64_t>(i) + 2;
  return sorted_reward_warnings("past.csv", pulls);
}

/// Returns pulls of three arms in no pattern, with rewards in steps of `step`.
std::vector<PastPull> mixed_pulls(int rows, double step, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<PastPull> pulls;
  for (int row = 0; row < rows; ++row) {
    const double reward = static_cast<double>(random() % 1000) / 1000;
    pulls.push_back({static_cast<Arm>(random() % 3), std::floor(reward / step) * step});
  }
  return pulls;
}

TEST(SortedRewards, AreAWarning) {
  for (const double step : {0.001, 0.5}) {  // the latter: as outcomes of yes and no
    for (std::uint64_t seed = 0; seed < 50; ++seed) {
      std::vector<PastPull> pulls = mixed_pulls(80, step, seed);
      EXPECT_TRUE(sorting_warnings(pulls).empty()) << seed;
      const auto is_smaller = [](const PastPull& a, const PastPull& b) { return *a.reward < *b.reward; };
      std::stable_sort(pulls.begin(), pulls.end(), is_smaller);
      EXPECT_EQ(
          sorting_warnings(pulls),
          std::vector<std::string>{
              "past.csv: the rows seem to be sorted by their rewards, or rewards to be running totals: from line 2 "
              "on, whatever the arm, no reward is smaller than the one before it; rows must be in the order of "
              "their pulls, and each reward that of one pull"});
      std::reverse(pulls.begin(), pulls.end());
      pulls.insert(pulls.begin() + 5, {0, std::nullopt});
      ASSERT_EQ(sorting_warnings(pulls).size(), 1U) << "also with a pending reward";
      EXPECT_NE(sorting_warnings(pulls)[0].find("no reward is larger"), std::string::npos);
    }
  }
}

TEST(SortedRewards, AreNoWarningIfTheArmsMayGrowOrAreConstant) {
  std::vector<PastPull> constant = mixed_pulls(80, 0.001, 3);
  for (PastPull& pull : constant) pull.reward = 0.5;
  EXPECT_TRUE(sorting_warnings(constant).empty());
  std::vector<PastPull> turns;
  std::vector<PastPull> runs;
  for (int row = 0; row < 80; ++row) {
    turns.push_back({row % 2, 0.01 * std::floor(row / 2.0)});  // two equal arms without noise, in turn
    runs.push_back({row < 3 ? 1 : 0, 0.01 * row});             // one arm that grows, after trials of another
  }
  EXPECT_TRUE(sorting_warnings(turns).empty());
  for (std::uint64_t seed = 0; seed < 50; ++seed) {  // three equal arms, each once in three rows, in random order
    std::mt19937_64 random(seed);
    std::vector<Arm> arms{0, 1, 2};
    std::vector<PastPull> blocks;
    for (int block = 0; block < 30; ++block) {
      std::shuffle(arms.begin(), arms.end(), random);
      for (const Arm arm : arms) blocks.push_back({arm, 0.01 * block});
    }
    EXPECT_TRUE(sorting_warnings(blocks).empty()) << seed;
  }
  std::vector<PastPull> steps;  // two equal arms that grow in steps of 20 pulls, in no balance
  for (int row = 0; row < 160; ++row) {
    const int pull = row / 40 * 20 + row % 40 / 2;
    const int within = row % 4 < 2 ? 0 : 1;  // a, a, b, b
    steps.push_back({within, 0.1 * std::floor(pull / 20.0)});
  }
  EXPECT_TRUE(sorting_warnings(steps).empty());
  EXPECT_TRUE(sorting_warnings(runs).empty());
  EXPECT_TRUE(sorting_warnings({}).empty());
}

}  // namespace
}  // namespace longrun
