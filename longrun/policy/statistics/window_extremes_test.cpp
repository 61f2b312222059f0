#include "longrun/policy/statistics/window_extremes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "longrun/policy/statistics/dyadic_windows.h"

namespace longrun {
namespace {

TEST(WindowExtremes, AreTheLowestAndTheHighestRewardOfEveryWindow) {
  DyadicWindows windows;
  WindowExtremes extremes;
  std::vector<double> rewards;
  for (int pull = 1; pull <= 100; ++pull) {
    rewards.push_back(std::sin(7.0 * pull));
    windows.add(rewards.back());
    extremes.add(rewards.back(), windows.count());
    for (std::size_t scale = 0; scale < windows.scales(); ++scale) {
      const auto end = rewards.begin() + windows.end(scale);
      EXPECT_EQ(extremes.lowest(scale), *std::min_element(end - (1 << scale), end));
      EXPECT_EQ(extremes.highest(scale), *std::max_element(end - (1 << scale), end));
    }
  }
}

}  // namespace
}  // namespace longrun
