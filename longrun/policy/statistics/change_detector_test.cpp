#include "longrun/policy/statistics/change_detector.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>
#include <set>
#include <vector>

#include "tests/change_by_definition.h"
#include "tests/long_tests.h"

namespace longrun {
namespace {

/// Returns rewards of 0 or 1 whose mean changes after `change` of them.
std::vector<double> coin_rewards(std::size_t count, double before, std::size_t change, double after, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> uniform(0, 1);
  std::vector<double> rewards;
  for (std::size_t i = 0; i < count; ++i) rewards.push_back(uniform(random) < (i < change ? before : after) ? 1 : 0);
  return rewards;
}

/// Returns the number of rewards after which a change is found, or one more than their number.
std::size_t found_after(const std::vector<double>& rewards, double delta) {
  ChangeDetector detector;
  for (std::size_t i = 0; i < rewards.size(); ++i) {
    detector.add(rewards[i]);
    if (detector.has_changed(delta)) return i + 1;
  }
  return rewards.size() + 1;
}

TEST(ChangeDetector, FindsWhatItsDefinitionFinds) {
  int changes = 0;
  for (unsigned seed = 0; seed < 300 / sanitizer_slowdown(); ++seed) {
    std::mt19937 random(seed);
    std::normal_distribution<double> noise(0, 0.1 * (1 + seed % 3));
    const bool coins = seed % 4 == 0;
    std::vector<double> rewards = coin_rewards(200, 0.5 + 0.05 * (seed % 10), random() % 150, 0.3, seed);
    if (!coins) {  // a level and a fall, with noise that leaves the unit interval
      for (std::size_t i = 0; i < rewards.size(); ++i) rewards[i] = (i < 120 ? 0.9 : 0.4) + noise(random);
    }
    ChangeDetector detector;
    std::vector<double> known;
    for (const double reward : rewards) {
      detector.add(reward);
      known.push_back(reward);
      const bool changed = changed_by_definition(known, 0.05, grid_of_splits(known.size()));
      ASSERT_EQ(detector.has_changed(0.05), changed) << "seed " << seed << ", " << known.size() << " rewards";
      if (!changed) continue;
      ++changes;
      break;
    }
  }
  EXPECT_GT(changes, 100 / sanitizer_slowdown());
}

TEST(ChangeDetector, SeldomFindsAChangeWhereThereIsNone) {
  constexpr int kSequences = 1'000 / sanitizer_slowdown();
  constexpr double kDelta = 0.05;
  for (const double mean : {0.02, 0.5, 0.95}) {
    for (const bool coins : {true, false}) {
      int alarms = 0;
      for (unsigned seed = 0; seed < kSequences; ++seed) {
        std::vector<double> rewards = coin_rewards(1'000, mean, 0, mean, seed);
        if (!coins) {
          std::mt19937 random(seed);
          std::normal_distribution<double> noise(mean, 0.1);
          for (double& reward : rewards) reward = noise(random);
        }
        alarms += found_after(rewards, kDelta) <= rewards.size() ? 1 : 0;
      }
      EXPECT_LE(alarms, kDelta * kSequences) << mean << (coins ? ", 0 or 1" : ", Gaussian noise");
    }
  }
}

TEST(ChangeDetector, TheGridOfSplitsDelaysAChangeLittle) {
  // A scan over all splits finds the change as well; the grid needs little longer.
  for (const std::size_t change : {40U, 100U, 333U, 500U}) {
    double grid = 0;
    double scan = 0;
    constexpr unsigned kSeeds = sanitizer_slowdown() > 1 ? 2 : 10;
    for (unsigned seed = 0; seed < kSeeds; ++seed) {
      const std::vector<double> rewards = coin_rewards(change + 400, 0.9, change, 0.3, seed);
      grid += static_cast<double>(found_after(rewards, 0.01)) - static_cast<double>(change);
      std::vector<double> known;
      for (const double reward : rewards) {
        known.push_back(reward);
        std::vector<std::size_t> all(known.size() - 1);
        std::iota(all.begin(), all.end(), 1);
        if (changed_by_definition(known, 0.01, all)) break;
      }
      scan += static_cast<double>(known.size()) - static_cast<double>(change);
    }
    EXPECT_GE(grid, scan) << change;
    EXPECT_LE(grid, 1.5 * scan) << change;
    EXPECT_LT(grid / kSeeds, 40) << change;
  }
}

TEST(ChangeDetector, EqualRewardsDoNotChange) {
  for (const double reward : {0.0, 0.3, 1.0, -4.0, 1e300}) {
    ChangeDetector detector;
    for (int i = 0; i < 5'000; ++i) {
      detector.add(reward);
      ASSERT_FALSE(detector.has_changed(1)) << reward;
    }
  }
}

}  // namespace
}  // namespace longrun
