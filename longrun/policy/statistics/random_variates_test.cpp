#include "longrun/policy/statistics/random_variates.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <boost/math/distributions/beta.hpp>
#include <boost/math/distributions/normal.hpp>
#include <cmath>
#include <functional>
#include <vector>

#include "tests/long_tests.h"

namespace longrun {
namespace {

constexpr std::uint64_t kDraws = 20'000 / sanitizer_slowdown();

/// Returns sqrt(n) times the largest distance between the distribution functions of n numbers and `below`. It exceeds
/// 1.95 with a probability of 0.001 if the numbers have that distribution (Kolmogorov).
double distance_from(std::vector<double> numbers, const std::function<double(double)>& below) {
  std::sort(numbers.begin(), numbers.end());
  const auto count = static_cast<double>(numbers.size());
  double largest = 0;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const double probability = below(numbers[i]);
    largest = std::max(
        {largest, probability - static_cast<double>(i) / count, static_cast<double>(i + 1) / count - probability});
  }
  return std::sqrt(count) * largest;
}

TEST(RandomVariates, AreNormal) {
  std::vector<double> numbers;
  double neighbours = 0;
  for (std::uint64_t i = 0; i < kDraws; ++i) {
    numbers.push_back(normal_variate({.seed = 5, .purpose = Purpose::policy}, i));
    if (i > 0) neighbours += numbers[i] * numbers[i - 1];
  }
  EXPECT_LT(std::abs(neighbours), 4 * std::sqrt(static_cast<double>(kDraws))) << "successive numbers are independent";
  EXPECT_LT(distance_from(numbers, [](double x) { return cdf(boost::math::normal{}, x); }), 1.95);
}

TEST(RandomVariates, AreBetaDistributed) {
  for (const auto& [a, b] : std::vector<std::pair<double, double>>{{1, 1},
                                                                   {1, 5},
                                                                   {7, 1},
                                                                   {1.25, 1.5},
                                                                   {1.001, 1.001},
                                                                   {2, 40},
                                                                   {31, 71.5},
                                                                   {5'000, 1.5},
                                                                   {100'000, 3},
                                                                   {2e6, 3e6}}) {
    std::vector<double> numbers;
    for (std::uint64_t i = 0; i < kDraws; ++i) {
      numbers.push_back(beta_variate({.seed = 6, .purpose = Purpose::policy, .lane = 3}, i, a, b));
      ASSERT_GE(numbers.back(), 0);
      ASSERT_LE(numbers.back(), 1);
    }
    const boost::math::beta_distribution<> beta{a, b};
    EXPECT_LT(distance_from(numbers, [&](double x) { return cdf(beta, x); }), 1.95) << a << ", " << b;
  }
}

TEST(RandomVariates, AreFunctionsOfKeyAndIndex) {
  const StreamKey key{.seed = 1, .replicate = 2, .purpose = Purpose::policy, .lane = 3};
  StreamKey other = key;
  other.lane = 4;
  EXPECT_EQ(normal_variate(key, 9), normal_variate(key, 9));
  EXPECT_NE(normal_variate(key, 9), normal_variate(key, 10));
  EXPECT_NE(normal_variate(key, 9), normal_variate(other, 9));
  EXPECT_EQ(beta_variate(key, 9, 2, 3), beta_variate(key, 9, 2, 3));
  EXPECT_NE(beta_variate(key, 9, 2, 3), beta_variate(key, 10, 2, 3));
  EXPECT_NE(beta_variate(key, 9, 2, 3), beta_variate(other, 9, 2, 3));
}

}  // namespace
}  // namespace longrun
