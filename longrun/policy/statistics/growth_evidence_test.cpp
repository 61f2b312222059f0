#include "longrun/policy/statistics/growth_evidence.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

namespace longrun {
namespace {

struct Posterior {
  double evidence = 0;
  double mean = 0;
};

double normal(double x, double mean, double sd) {
  return std::exp(-0.5 * std::pow((x - mean) / sd, 2)) / (sd * std::sqrt(2 * std::numbers::pi));
}

/// Compares with posteriors integrated on a grid.
TEST(GrowthEvidence, IsThePosteriorOfARegressionPerShape) {
  const Pulls horizon = 200;
  const GrowthShapes shapes(horizon);
  const double sd = 0.1;
  const std::vector<double> rewards{0.1, 0.25, 0.2, 0.35, 0.4};
  const Pulls remaining = 50;
  GrowthEvidence evidence;
  for (const double reward : rewards) evidence.add(shapes, reward);
  Prospects prospects;
  evidence.append_prospects(shapes, remaining, sd * sd, 1.0, 1.0, prospects);

  const auto future_phi = shapes.future_mean(static_cast<Pulls>(rewards.size()), remaining);
  const ForesightTuning prior;
  std::vector<double> beliefs;
  std::vector<double> means;
  const double step = 0.02;
  for (std::size_t k = 0; k <= shapes.count(); ++k) {
    const bool grows = k < shapes.count();
    Posterior posterior;
    for (int column = 0; column < (grows ? 750 : 1); ++column) {
      const double b = grows ? (column + 0.5) * step : 0;
      for (int row = -100; row < 150; ++row) {
        const double a = row * step;
        double density = normal(a, prior.level_mean, prior.level_sd) * step;
        if (grows) density *= 2 * normal(b, 0, prior.growth_sd) * step;
        for (std::size_t i = 0; i < rewards.size(); ++i) {
          const double phi = grows ? shapes.at(static_cast<Pulls>(i) + 1)[k] : 0;
          density *= normal(rewards[i], a + b * phi, sd);
        }
        posterior.evidence += density;
        posterior.mean += density * (a + (grows ? b * future_phi[k] : 0));
      }
    }
    const double share = grows ? (1 - prior.no_growth) / static_cast<double>(shapes.count()) : prior.no_growth;
    beliefs.push_back(share * std::pow(posterior.evidence, prior.evidence_exponent));
    means.push_back(posterior.mean / posterior.evidence);
  }
  double total = 0;
  for (const double belief : beliefs) total += belief;
  ASSERT_EQ(prospects.size(), 3 * beliefs.size());
  for (std::size_t k = 0; k < beliefs.size(); ++k) {
    const Prospect& middle = prospects[3 * k + 1];
    EXPECT_NEAR(3 * middle.weight, beliefs[k] / total, 2e-3) << k;
    EXPECT_NEAR(middle.average, std::min(1.0, means[k]), 5e-3) << k;
  }
}

}  // namespace
}  // namespace longrun
