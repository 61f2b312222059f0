#include "longrun/base/estimate.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <random>
#include <vector>

namespace longrun {
namespace {

// The number of standard errors in half a 95 % interval, from a table of Student's t: t(0.975) by degrees of freedom.
constexpr double kStudent1 = 12.706204736174694;
constexpr double kStudent4 = 2.7764451051977934;
constexpr double kStudent29 = 2.0452296421327034;

TEST(Estimate, OfOneToFiveIsTheIntervalComputedByHand) {
  const Estimate e = estimate(std::array{1.0, 2.0, 3.0, 4.0, 5.0});
  EXPECT_DOUBLE_EQ(e.mean, 3);
  // Squares about the mean sum to 10, over 4 that is a variance of 2.5, and the mean's standard error is sqrt(2.5 / 5).
  const double half_width = kStudent4 * std::sqrt(0.5);
  EXPECT_NEAR(half_width, 1.9632, 1e-4);
  EXPECT_NEAR(e.low, 3 - half_width, 1e-12);
  EXPECT_NEAR(e.high, 3 + half_width, 1e-12);
}

TEST(Estimate, OfTwoValuesUsesOneDegreeOfFreedom) {
  const Estimate e = estimate(std::array{0.0, 1.0});
  EXPECT_DOUBLE_EQ(e.mean, 0.5);
  EXPECT_NEAR(e.low, 0.5 - kStudent1 / 2, 1e-12);
  EXPECT_NEAR(e.high, 0.5 + kStudent1 / 2, 1e-12);
}

TEST(Estimate, OfThirtyValuesUsesTwentyNineDegreesOfFreedom) {
  std::vector<double> values(30, 0.25);
  std::fill(values.begin() + 15, values.end(), 0.75);
  const Estimate e = estimate(values);
  EXPECT_DOUBLE_EQ(e.mean, 0.5);
  EXPECT_NEAR(e.high - e.mean, kStudent29 * 0.25 / std::sqrt(29.0), 1e-12);
  EXPECT_NEAR(e.mean - e.low, kStudent29 * 0.25 / std::sqrt(29.0), 1e-12);
}

TEST(Estimate, DoesNotMixUpTheFactorsOfDifferentCounts) {
  const Estimate five = estimate(std::array{1.0, 2.0, 3.0, 4.0, 5.0});
  estimate(std::array{0.0, 1.0});
  const Estimate again = estimate(std::array{5.0, 4.0, 3.0, 2.0, 1.0});
  EXPECT_DOUBLE_EQ(again.low, five.low);
  EXPECT_DOUBLE_EQ(again.high, five.high);
}

TEST(Estimate, OfOneValueHasWidthZero) {
  const Estimate e = estimate(std::array{0.1});
  EXPECT_EQ(e.mean, 0.1);
  EXPECT_EQ(e.low, 0.1);
  EXPECT_EQ(e.high, 0.1);
}

TEST(Estimate, OfEqualValuesIsExactlyThatValue) {
  for (const double value : {0.1, 1.0 / 3, -0.7, 0.0, 12345.678}) {
    for (std::size_t count = 2; count < 40; ++count) {
      const Estimate e = estimate(std::vector<double>(count, value));
      EXPECT_EQ(e.mean, value);
      EXPECT_EQ(e.low, value);
      EXPECT_EQ(e.high, value);
    }
  }
}

TEST(Estimate, ItsIntervalContainsTheMeanInNinetyFivePercent) {
  std::mt19937 random(1);
  std::normal_distribution<double> normal(0.3, 0.1);
  constexpr int kTrials = 20'000;
  int held = 0;
  for (int trial = 0; trial < kTrials; ++trial) {
    std::array<double, 5> values{};
    for (double& value : values) value = normal(random);
    const Estimate e = estimate(values);
    if (e.low <= 0.3 && 0.3 <= e.high) ++held;
  }
  EXPECT_NEAR(static_cast<double>(held) / kTrials, 0.95, 0.006);  // four standard errors
}

}  // namespace
}  // namespace longrun
