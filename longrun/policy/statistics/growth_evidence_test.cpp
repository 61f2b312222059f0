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
TEST(GrowthEvidence, IsThePosteriorOfTwoRegressionsPerShape) {
  const Pulls horizon = 200;
  const GrowthShapes shapes(horizon);
  const double sd = 0.1;
  const std::vector<double> rewards{0.1, 0.25, 0.2, 0.35, 0.4};
  const Pulls remaining = 50;
  const ForesightTuning tuning;
  const GrowthEvidence::Belief belief{.shapes = shapes,
                                      .prior = {.constant = 0.2, .grows = 0.5, .grows_from_zero = 0.3},
                                      .variance = sd * sd,
                                      .growth_sd = tuning.growth_sd};
  GrowthEvidence evidence;
  for (const double reward : rewards) evidence.add(shapes, reward);
  Prospects prospects;
  evidence.append_prospects(belief, remaining, 1.0, 1.0, prospects);

  const auto future_phi = shapes.future_mean(static_cast<Pulls>(rewards.size()), remaining);
  const auto count = static_cast<double>(shapes.count());
  std::vector<double> beliefs;
  std::vector<double> means;
  for (std::size_t k = 0; k <= 2 * shapes.count(); ++k) {
    const bool grows = k > 0;
    const bool from_zero = k > shapes.count();
    const std::size_t shape = grows ? (from_zero ? k - 1 - shapes.count() : k - 1) : 0;
    const double step = 0.02;
    const double level_step = from_zero ? 0.002 : step;
    Posterior posterior;
    for (int column = 0; column < (grows ? 750 : 1); ++column) {
      const double b = grows ? (column + 0.5) * step : 0;
      for (int row = -100; row < 150; ++row) {
        const double a = row * level_step;
        double density =
            normal(a, from_zero ? 0 : tuning.level_mean, from_zero ? tuning.zero_sd : tuning.level_sd) * level_step;
        if (grows) density *= 2 * normal(b, 0, tuning.growth_sd) * step;
        for (std::size_t i = 0; i < rewards.size(); ++i) {
          const double phi = grows ? shapes.at(static_cast<Pulls>(i) + 1)[shape] : 0;
          density *= normal(rewards[i], a + b * phi, sd);
        }
        posterior.evidence += density;
        posterior.mean += density * (a + (grows ? b * future_phi[shape] : 0));
      }
    }
    const double kind = from_zero ? belief.prior.grows_from_zero : belief.prior.grows;
    beliefs.push_back((grows ? kind / count : belief.prior.constant) * posterior.evidence);
    means.push_back(posterior.mean / posterior.evidence);
  }
  double total = 0;
  for (const double each : beliefs) total += each;

  ASSERT_EQ(prospects.size(), 5 + 3 * (beliefs.size() - 1));
  EXPECT_NEAR(prospects[2].weight / kNoGrowthPoints[2].weight, beliefs[0] / total, 2e-3);
  EXPECT_NEAR(prospects[2].average, means[0], 5e-3);
  CurveKinds kinds{.constant = beliefs[0] / total};
  for (std::size_t k = 1; k < beliefs.size(); ++k) {
    const Prospect& middle = prospects[5 + 3 * (k - 1) + 1];
    EXPECT_NEAR(3 * middle.weight, beliefs[k] / total, 2e-3) << k;
    EXPECT_NEAR(middle.average, std::min(1.0, means[k]), 5e-3) << k;
    (k <= shapes.count() ? kinds.grows : kinds.grows_from_zero) += beliefs[k] / total;
  }
  const CurveKinds posterior = evidence.kinds(belief);
  EXPECT_NEAR(posterior.constant, kinds.constant, 5e-3);
  EXPECT_NEAR(posterior.grows, kinds.grows, 5e-3);
  EXPECT_NEAR(posterior.grows_from_zero, kinds.grows_from_zero, 5e-3);
}

GrowthEvidence::Belief belief_of(const GrowthShapes& shapes) {
  return {.shapes = shapes,
          .prior = {.constant = 0.2, .grows = 0.6, .grows_from_zero = 0.2},
          .variance = 1e-4,
          .growth_sd = 2.5};
}

TEST(GrowthEvidence, OnlyACurveThatStartsNearZeroGrowsFromZero) {
  const GrowthShapes shapes(1'000);
  const GrowthEvidence::Belief belief = belief_of(shapes);
  GrowthEvidence from_zero;
  GrowthEvidence from_half;
  for (const double growth : {0.0, 0.02, 0.04, 0.06, 0.08, 0.1}) {
    from_zero.add(shapes, growth);
    from_half.add(shapes, 0.5 + growth);
  }
  EXPECT_GT(from_zero.kinds(belief).grows_from_zero, 0.5);
  EXPECT_LT(from_half.kinds(belief).grows_from_zero, 1e-5);
  EXPECT_GT(from_half.kinds(belief).grows, 0.99);
}

TEST(GrowthEvidence, GrowthFromZeroMayHaveHappenedWhileRewardsWereLost) {
  const GrowthShapes shapes(1'000);
  GrowthEvidence evidence;
  for (int pull = 0; pull < 20; ++pull) evidence.add_lost();
  for (int pull = 20; pull < 60; ++pull) evidence.add(shapes, 0.01 * pull);
  EXPECT_GT(evidence.kinds(belief_of(shapes)).grows_from_zero, 0.2);
}

}  // namespace
}  // namespace longrun
