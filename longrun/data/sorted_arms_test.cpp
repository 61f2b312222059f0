#include "longrun/data/sorted_arms.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <functional>
#include <random>

namespace longrun {
namespace {

using Arms = std::vector<std::vector<double>>;

double rounded(double value, double unit) { return unit == 0 ? value : std::round(value / unit) * unit; }

/// Returns the warnings about arms whose rows follow each other, or are mixed at random.
std::vector<std::string> arm_sorting_warnings(const Arms& arms, bool mixed = false) {
  History history;
  std::vector<Arm> order;
  for (std::size_t arm = 0; arm < arms.size(); ++arm) {
    history.arm_names.push_back(std::string("arm ") + "abcdefgh"[arm]);
    order.insert(order.end(), arms[arm].size(), static_cast<Arm>(arm));
  }
  if (mixed) std::shuffle(order.begin(), order.end(), std::mt19937_64(7));
  std::vector<std::size_t> next(arms.size());
  for (const Arm arm : order) {
    const auto at = static_cast<std::size_t>(arm);
    history.pulls.push_back({arm, arms[at][next[at]++], static_cast<std::int64_t>(history.pulls.size()) + 2});
  }
  return sorted_arm_warnings("past.csv", history);
}

/// Returns four arms with noisy rewards around different means.
Arms noisy(std::uint64_t seed, std::size_t rows, double unit) {
  std::mt19937_64 random(seed);
  Arms arms(4);
  for (std::size_t arm = 0; arm < arms.size(); ++arm) {
    std::normal_distribution<double> noise(0.3 + 0.1 * static_cast<double>(arm), 0.1);
    for (std::size_t row = 0; row < rows + 3 * arm; ++row) arms[arm].push_back(rounded(noise(random), unit));
  }
  return arms;
}

TEST(SortedArms, AreAWarning) {
  for (const double unit : {0.0, 0.0001, 0.001}) {
    for (std::uint64_t seed = 0; seed < 50; ++seed) {
      Arms arms = noisy(seed, 40, unit);
      EXPECT_TRUE(arm_sorting_warnings(arms).empty()) << seed;
      for (auto& rewards : arms) std::sort(rewards.begin(), rewards.end());
      EXPECT_EQ(arm_sorting_warnings(arms),
                std::vector<std::string>{
                    "past.csv: the rows of each arm seem to be sorted by their rewards, or rewards to be running "
                    "totals: from line 2 on, no reward is smaller than the one before it of the same arm, and their "
                    "steps look like those of sorted noise; rows must be in the order of their pulls, and each reward "
                    "that of one pull"})
          << seed << ' ' << unit;
      EXPECT_EQ(arm_sorting_warnings(arms, true).size(), 1U) << seed;
      for (auto& rewards : arms) std::reverse(rewards.begin(), rewards.end());
      ASSERT_EQ(arm_sorting_warnings(arms).size(), 1U) << seed;
      EXPECT_NE(arm_sorting_warnings(arms)[0].find("no reward is larger"), std::string::npos);
      std::swap(arms[3].front(), arms[3].back());
      EXPECT_TRUE(arm_sorting_warnings(arms).empty()) << "one arm is not sorted";
    }
  }
}

TEST(SortedArms, WithRoundedRewardsAreRecognisedByTheQuantilesOfTheirNoise) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    Arms arms = noisy(seed, 300, 0.01);
    for (auto& rewards : arms) std::sort(rewards.begin(), rewards.end());
    EXPECT_EQ(arm_sorting_warnings(arms).size(), 1U) << seed;
  }
}

TEST(SortedArms, WithFewValuesAreRecognisedIfTheirRowsAreSortedByArmToo) {
  std::size_t flat_bells = 0;  // the most frequent of five values has a third of the rows, each end a ninth
  std::size_t bells = 0;       // six sixteenths, and one
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    std::mt19937_64 random(seed);
    Arms outcomes(3);
    Arms stars(3);
    Arms grades(3);
    for (int row = 0; row < 60; ++row) {
      for (std::size_t arm = 0; arm < 3; ++arm) {
        outcomes[arm].push_back(static_cast<double>(random() % 3 == 0));
        stars[arm].push_back(1 + static_cast<double>(random() % 3 + random() % 3));
        grades[arm].push_back(1 + static_cast<double>(random() % 2 + random() % 2 + random() % 2 + random() % 2));
      }
    }
    for (auto* arms : {&outcomes, &stars, &grades}) {
      EXPECT_TRUE(arm_sorting_warnings(*arms).empty()) << seed;
      for (auto& rewards : *arms) std::sort(rewards.begin(), rewards.end());
    }
    EXPECT_EQ(arm_sorting_warnings(outcomes).size(), 1U) << seed;
    EXPECT_TRUE(arm_sorting_warnings(outcomes, true).empty()) << "arms that learn at once look the same";
    flat_bells += arm_sorting_warnings(stars).size();
    bells += arm_sorting_warnings(grades).size();
    EXPECT_TRUE(arm_sorting_warnings(stars, true).empty()) << seed;
    EXPECT_TRUE(arm_sorting_warnings(grades, true).empty()) << seed;
  }
  EXPECT_GE(flat_bells, 12U);  // docs/recommend.md states the rates
  EXPECT_GE(bells, 38U);
}

TEST(SortedArms, AreRecognisedInVeryLargeRewards) {
  for (const double size : {1.0, 1e160, 1e300}) {
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
      Arms arms = noisy(seed, 40, 0);
      for (auto& rewards : arms) {
        for (double& reward : rewards) reward *= size;
        std::sort(rewards.begin(), rewards.end());
      }
      EXPECT_EQ(arm_sorting_warnings(arms).size(), 1U) << seed << ' ' << size;
    }
  }
  Arms widest(2);  // a difference of their rewards is above the largest number
  for (auto& rewards : widest) {
    for (int row = -60; row < 60; ++row) rewards.push_back(row < 0 ? -1.7e308 : 1.7e308);
  }
  EXPECT_TRUE(arm_sorting_warnings(widest, true).empty());
}

TEST(SortedArms, AreNotSeenInExactRewardsOfCurves) {
  const std::array<std::function<double(double)>, 11> curves{
      [](double x) { return 1 - std::exp(-3 * x); },
      [](double x) { return 1 - std::exp(-40 * x); },
      [](double x) { return x; },
      [](double x) { return x * x; },
      [](double x) { return std::pow(x, 0.3); },
      [](double x) { return x / (x + 0.2); },
      [](double x) { return 1 / (1 + std::exp(4 - 8 * x)); },
      [](double x) { return std::pow(2 * x - 1, 3); },
      [](double x) { return std::floor(8 * x) / 8; },
      [](double x) { return x < 0.3 ? 0.0 : x; },
      [](double x) { return std::max(0.0, x - 0.4); },
  };
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    std::mt19937_64 random(seed);
    const double sign = seed % 2 == 0 ? 1 : -1;
    const std::size_t rows = 20 + random() % 180;
    for (const double unit : {0.0, 0.0001, 0.001, 0.01, 0.1}) {
      const std::size_t same = random() % curves.size();
      for (const bool all_same : {true, false}) {
        Arms arms(3);
        for (auto& rewards : arms) {
          const auto& curve = curves[all_same ? same : random() % curves.size()];
          const double size = 0.2 + static_cast<double>(random() % 100) / 125;
          for (std::size_t row = 0; row < rows; ++row) {
            const double part = static_cast<double>(row) / static_cast<double>(rows);
            rewards.push_back(rounded(0.5 + sign * size * curve(part), unit));
          }
        }
        EXPECT_TRUE(arm_sorting_warnings(arms).empty()) << seed << ' ' << unit << ' ' << same << all_same;
      }
    }
  }
}

TEST(SortedArms, AreNotSeenInArmsThatWorkUntilTheyAreEmpty) {
  for (int trials = 1; trials < 4; ++trials) {
    Arms wells;
    for (const int full : {30, 12, 50}) {
      wells.emplace_back(full, 1.0);
      wells.back().insert(wells.back().end(), static_cast<std::size_t>(trials), 0.0);
    }
    EXPECT_TRUE(arm_sorting_warnings(wells).empty());
  }
  EXPECT_TRUE(arm_sorting_warnings({}).empty());
  EXPECT_TRUE(arm_sorting_warnings({{1, 1, 1}, {0.5}}).empty());
}

}  // namespace
}  // namespace longrun
