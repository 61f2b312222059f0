#include "longrun/policy/statistics/growth_shapes.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace longrun {
namespace {

const std::vector<double> kPowers{0.75, 0.5, 0.25, -0.1, -0.25, -0.5, -1};

/// Returns shape number k by its formula.
double shape(std::size_t k, double pull, double horizon) {
  std::vector<double> scales{4};
  while (4 * scales.back() < 4 * horizon) scales.push_back(4 * scales.back());
  if (k < scales.size()) return std::expm1(-(pull - 1) / scales[k]) / std::expm1(-horizon / scales[k]);
  const double power = kPowers[k - scales.size()];
  return power > 0 ? (std::pow(pull, power) - 1) / (std::pow(horizon, power) - 1) : 1 - std::pow(pull, power);
}

TEST(GrowthShapes, AreExponentialsAndPowers) {
  for (const Pulls horizon : {50, 3'000, 1'000'000}) {
    const GrowthShapes shapes(horizon);
    for (const Pulls pull : {1, 2, 3, 17, 50, 1'000}) {
      const auto values = shapes.at(pull);
      for (std::size_t k = 0; k < shapes.count(); ++k) {
        EXPECT_NEAR(values[k], shape(k, static_cast<double>(pull), static_cast<double>(horizon)), 1e-9);
      }
    }
  }
}

TEST(GrowthShapes, FutureMeanIsTheMeanOverTheNextPulls) {
  const Pulls horizon = 5'000;
  const GrowthShapes shapes(horizon);
  for (const Pulls pulls : {2, 5, 40, 900}) {
    for (const Pulls remaining : {1, 7, 300, 4'000}) {
      const auto means = shapes.future_mean(pulls, remaining);
      for (std::size_t k = 0; k < shapes.count(); ++k) {
        double sum = 0;
        for (Pulls pull = pulls + 1; pull <= pulls + remaining; ++pull) {
          sum += shape(k, static_cast<double>(pull), static_cast<double>(horizon));
        }
        EXPECT_NEAR(means[k], sum / static_cast<double>(remaining), 0.01) << k << " after " << pulls;
      }
    }
  }
}

}  // namespace
}  // namespace longrun
