#include "longrun/policy/statistics/dyadic_windows.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

#include "tests/choices_by_definition.h"

namespace longrun {
namespace {

TEST(DyadicWindows, HoldTheLatestCompleteWindowOfEveryScale) {
  std::mt19937 random(6);
  DyadicWindows windows;
  std::vector<double> rewards;
  for (std::size_t n = 1; n <= 3'000; ++n) {
    rewards.push_back(static_cast<double>(random() % 1024) / 1024);  // sums are exact
    windows.add(rewards.back());
    std::size_t scales = 0;
    for (std::size_t h = 1; h <= n; h *= 2) {
      ASSERT_EQ(windows.mean(scales), window_sum(rewards, h) / static_cast<double>(h)) << n << " rewards, window " << h;
      ASSERT_DOUBLE_EQ(DyadicWindows::error_factor(scales), std::sqrt(1 / static_cast<double>(h)));
      ASSERT_EQ(windows.end(scales), static_cast<Pulls>(n / h * h));
      ASSERT_EQ(windows.just_completed(scales), n % h == 0);
      ASSERT_EQ(windows.has_previous(scales), n >= 2 * h);
      if (n >= 2 * h) {
        const std::vector<double> before(rewards.begin(), rewards.begin() + static_cast<std::ptrdiff_t>(n / h * h - h));
        ASSERT_EQ(windows.previous_mean(scales), window_sum(before, h) / static_cast<double>(h));
      }
      ++scales;
    }
    ASSERT_EQ(windows.scales(), scales) << "for " << n << " rewards";
  }
}

}  // namespace
}  // namespace longrun
