#include "longrun/policy/statistics/kl_bounds.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "longrun/policy/statistics/bernoulli_divergence.h"

namespace longrun {
namespace {

/// Returns the divergence of Bernoulli distributions with means strictly between 0 and 1, by its definition.
double divergence_by_definition(double p, double q) {
  return p * std::log(p / q) + (1 - p) * std::log((1 - p) / (1 - q));
}

TEST(BernoulliDivergence, IsItsDefinition) {
  for (int i = 0; i < 15; ++i) {
    const double p = 0.01 + 0.07 * i;
    for (int j = 0; j < 20; ++j) {
      const double q = 0.01 + 0.05 * j;
      EXPECT_NEAR(bernoulli_divergence(p, q), divergence_by_definition(p, q), 1e-14);
    }
    EXPECT_EQ(bernoulli_divergence(p, p), 0);
    EXPECT_TRUE(std::isinf(bernoulli_divergence(p, 0)));
    EXPECT_TRUE(std::isinf(bernoulli_divergence(p, 1)));
    EXPECT_NEAR(bernoulli_divergence(0, p), -std::log(1 - p), 1e-14);
    EXPECT_NEAR(bernoulli_divergence(1, p), -std::log(p), 1e-14);
  }
  EXPECT_EQ(bernoulli_divergence(0, 0), 0);
  EXPECT_EQ(bernoulli_divergence(1, 1), 0);
  EXPECT_TRUE(std::isinf(bernoulli_divergence(0, 1)));
}

TEST(RestOfLargestMean, IsWhereTheDivergenceReachesItsLimit) {
  for (const double mean : {0.0, 1e-9, 1e-4, 0.02, 0.1, 0.37, 0.5, 0.81, 0.99, 0.9999, 1 - 1e-12}) {
    for (int power = 0; power <= 20; ++power) {
      const double divergence = 1e-8 * std::pow(3, power);  // up to 35
      double low = -700;                                    // bisection of ln(1 - q), between q = 1 and q = mean
      double high = std::log1p(-mean);
      for (int step = 0; step < 200; ++step) {
        const double middle = 0.5 * (low + high);
        const double rest = std::exp(middle);
        const double of_one = mean > 0 ? mean * std::log(mean) - mean * std::log1p(-rest) : 0;
        (of_one + (1 - mean) * (std::log1p(-mean) - middle) <= divergence ? high : low) = middle;
      }
      // The divergence is computed with an error of 1e-16, and its slope near the mean is small.
      const double rest = rest_of_largest_mean(mean, divergence);
      if (high > -699) {
        EXPECT_NEAR(rest, std::exp(high), 1e-9 * std::exp(high)) << mean << ", " << divergence;
      } else {
        EXPECT_LT(rest, 1e-300);
      }
    }
    EXPECT_EQ(rest_of_largest_mean(mean, 0), 1 - mean);
  }
  EXPECT_EQ(rest_of_largest_mean(1, 3), 0);
  EXPECT_DOUBLE_EQ(rest_of_largest_mean(0, 3), std::exp(-3.0));
}

TEST(KlBounds, TangentsAreNeverBelowTheBound) {
  std::mt19937 random(1);
  std::uniform_real_distribution<double> uniform(0, 1);
  for (int instance = 0; instance < 500; ++instance) {
    KlBounds bounds(1);
    const double mean = std::pow(uniform(random), 3);
    const int rewards = 1 + static_cast<int>(random() % 300);
    for (int i = 0; i < rewards; ++i) bounds.add(0, uniform(random) < mean ? 1 : 0);
    EXPECT_TRUE(std::isinf(bounds.at_most(0, 1))) << "no bound was computed since the last reward";
    double exploration = 3 * uniform(random);
    for (int step = 0; step < 30; ++step) {
      KlBounds exact = bounds;
      const double bound = exact.bound(0, exploration);
      ASSERT_GE(bounds.at_most(0, exploration), bound);
      if (step % 7 == 0) bounds.bound(0, exploration);
      exploration += 0.3 * uniform(random);
    }
  }
}

TEST(KlBounds, RewardsOutsideTheUnitIntervalCountAsItsEnds) {
  KlBounds wide(1);
  KlBounds clipped(1);
  for (const double reward : {-0.5, 0.25, 1.5, 1e300, -1e300, 0.75}) {
    wide.add(0, reward);
    clipped.add(0, std::clamp(reward, 0.0, 1.0));
  }
  EXPECT_EQ(wide.bound(0, 2), clipped.bound(0, 2));
}

}  // namespace
}  // namespace longrun
