// Foresight: its parts against their definitions, its guarantees by simulation.
#include "longrun/policy/foresight/foresight.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <numbers>
#include <random>

namespace longrun {
namespace {

// ---- growth shapes

const std::vector<double> kPowers{0.75, 0.5, 0.25, -0.1, -0.25, -0.5, -1};

/// The shapes by their formulas.
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

TEST(GrowthShapes, AreAveragedOverThePullsAhead) {
  const Pulls horizon = 5'000;
  const GrowthShapes shapes(horizon);
  for (const Pulls pulls : {2, 5, 40, 900}) {
    for (const Pulls remaining : {1, 7, 300, 4'000}) {
      const auto means = shapes.mean_ahead(pulls, remaining);
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

// ---- growth evidence, against integrals on a grid

struct Posterior {
  double evidence = 0;
  double mean = 0;
};

double normal(double x, double mean, double sd) {
  return std::exp(-0.5 * std::pow((x - mean) / sd, 2)) / (sd * std::sqrt(2 * std::numbers::pi));
}

TEST(GrowthEvidence, IsThePosteriorOfARegressionPerShape) {
  const Pulls horizon = 200;
  const GrowthShapes shapes(horizon);
  const double sd = 0.1;
  const std::vector<double> rewards{0.1, 0.25, 0.2, 0.35, 0.4};
  const Pulls remaining = 50;
  GrowthEvidence evidence;
  for (std::size_t k = 0; k < rewards.size(); ++k) {
    evidence.add(shapes, shapes.at(static_cast<Pulls>(k) + 1), rewards[k]);
  }
  Prospects prospects;
  evidence.append_prospects(shapes, remaining, sd * sd, 1.0, 1.0, prospects);

  const auto ahead = shapes.mean_ahead(static_cast<Pulls>(rewards.size()), remaining);
  const GrowthPrior prior;
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
        double density = normal(a, prior.level, prior.level_sd) * step;
        if (grows) density *= 2 * normal(b, 0, prior.growth_sd) * step;
        for (std::size_t i = 0; i < rewards.size(); ++i) {
          const double phi = grows ? shapes.at(static_cast<Pulls>(i) + 1)[k] : 0;
          density *= normal(rewards[i], a + b * phi, sd);
        }
        posterior.evidence += density;
        posterior.mean += density * (a + (grows ? b * ahead[k] : 0));
      }
    }
    const double share = grows ? (1 - prior.no_growth) / static_cast<double>(shapes.count()) : prior.no_growth;
    beliefs.push_back(share * std::pow(posterior.evidence, prior.temper));
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

// ---- an arm that is only pulled

/// Rises in a concave way to a peak anywhere, then falls; starts, scales and shapes at random.
std::vector<double> random_peaked_curve(std::mt19937& random, Pulls length) {
  const auto uniform = [&](double low, double high) {
    return low + (high - low) * std::uniform_real_distribution<double>()(random);
  };
  const double peak = std::floor(std::pow(static_cast<double>(length), uniform(0.2, 1.1)));
  const double power = uniform(0.2, 1);
  const double start = uniform(0, 0.7);
  const double top = uniform(start, 1);
  const double fall = uniform(0.1, 2) * static_cast<double>(length);
  std::vector<double> rewards;
  for (Pulls pull = 1; pull <= length; ++pull) {
    const auto m = static_cast<double>(pull);
    rewards.push_back(m <= peak ? start + (top - start) * std::pow(m / peak, power)
                                : top * std::exp(-(m - peak) / fall));
  }
  return rewards;
}

/// Whether the bound has held for every later reward, at every time.
bool bound_holds(const std::vector<double>& rewards, const Noise& noise, std::uint32_t replicate) {
  const auto length = static_cast<Pulls>(rewards.size());
  const ForesightModel model(length, 3, standard_deviation(noise));
  const StreamKey key{.seed = 4, .replicate = replicate, .purpose = Purpose::noise};
  ArmForesight arm;
  for (Pulls n = 1; n < length; ++n) {
    double reward = rewards[static_cast<std::size_t>(n - 1)];
    add_noise(noise, key, n, std::span(&reward, 1));
    arm.add(reward, model);
    if (n < 2 || (n > 64 && n % 37 != 0)) continue;
    for (const Pulls remaining : {Pulls{1}, (length - n) / 2, length - n}) {
      if (remaining < 1) continue;
      const Outlook bound = arm.bound(remaining, model);
      for (Pulls k = 1; n + k <= length; k += 1 + k / 8) {
        const double highest = std::min(1.0, bound.level() + bound.slope() * static_cast<double>(k));
        if (rewards[static_cast<std::size_t>(n + k - 1)] > highest + 1e-9) return false;
      }
    }
  }
  return true;
}

/// How many of `runs` random curves cross their bound at some time.
int bounds_crossed(const Noise& noise, int runs) {
  std::mt19937 random(1);
  int failures = 0;
  for (int run = 0; run < runs; ++run) {
    failures += bound_holds(random_peaked_curve(random, 700), noise, static_cast<std::uint32_t>(run)) ? 0 : 1;
  }
  return failures;
}

TEST(ArmForesight, BoundsEverySinglePeakedCurveWithoutNoise) { EXPECT_EQ(bounds_crossed(NoNoise{}, 300), 0); }

TEST(ArmForesight, BoundsItAtAllTimesWithTheProbabilityItPromises) {
  constexpr int kRuns = 400;
  // The union bound promises 1 - 2 kFailure, one for the bound and one for the fall it may rest on, and is generous.
  for (const Noise& noise :
       {Noise{Gaussian{.sd = 0.05}}, Noise{Gaussian{.sd = 0.2}}, Noise{Uniform{.bound = 0.2}}, Noise{Bernoulli{}}}) {
    EXPECT_LE(bounds_crossed(noise, kRuns), 0.01 * kRuns) << to_text(noise);
  }
}

/// How many of `runs` arms with this curve are taken for falling within `length` pulls.
int declared_falling(const std::function<double(Pulls)>& curve, Pulls length, const Noise& noise, int runs) {
  int count = 0;
  for (int run = 0; run < runs; ++run) {
    const ForesightModel model(length, 2, standard_deviation(noise));
    const StreamKey key{.seed = 9, .replicate = static_cast<std::uint32_t>(run), .purpose = Purpose::noise};
    ArmForesight arm;
    for (Pulls pull = 1; pull <= length && !arm.falling(); ++pull) {
      double reward = curve(pull);
      add_noise(noise, key, pull, std::span(&reward, 1));
      arm.add(reward, model);
    }
    count += arm.falling() ? 1 : 0;
  }
  return count;
}

TEST(ArmForesight, TakesFlatAndRisingArmsForFallingAsRarelyAsItPromises) {
  constexpr int kRuns = 300;
  const auto flat = [](Pulls) { return 0.5; };
  const auto rising = [](Pulls pull) { return 0.9 - 0.5 / std::sqrt(static_cast<double>(pull)); };
  for (const Noise& noise : {Noise{Gaussian{.sd = 0.1}}, Noise{Uniform{.bound = 0.2}}, Noise{Bernoulli{}}}) {
    EXPECT_LE(declared_falling(flat, 2'000, noise, kRuns), ForesightModel::kFailure * kRuns) << to_text(noise);
    EXPECT_LE(declared_falling(rising, 2'000, noise, kRuns), ForesightModel::kFailure * kRuns) << to_text(noise);
  }
}

TEST(ArmForesight, SeesAFallSoonAfterIt) {
  constexpr int kRuns = 200;
  const auto falls = [](Pulls pull) { return pull <= 500 ? 0.7 : 0.5; };  // two standard deviations
  EXPECT_LE(declared_falling(falls, 500, Gaussian{.sd = 0.1}, kRuns), ForesightModel::kFailure * kRuns);
  EXPECT_GE(declared_falling(falls, 600, Gaussian{.sd = 0.1}, kRuns), 0.95 * kRuns);
}

TEST(ArmForesight, SeesAFallFromTheFirstWindowOn) {
  const auto falls = [](Pulls pull) { return pull <= 64 ? 0.8 : 0.6; };
  EXPECT_GE(declared_falling(falls, 160, Gaussian{.sd = 0.1}, 200), 0.95 * 200);
}

TEST(ArmForesight, ExpectsAFallToGoOnUnlessItHasSlowedDown) {
  const ForesightModel model(2'000, 2, 0.01);
  ArmForesight steady;
  ArmForesight slowing;
  for (int pull = 0; pull < 600; ++pull) {
    const double wiggle = pull % 2 == 0 ? 0.01 : -0.01;
    steady.add((pull < 100 ? 0.9 : 0.9 - 0.0008 * (pull - 100)) + wiggle, model);
    slowing.add((pull < 100 ? 0.9 : 0.5 + 0.4 * std::exp(-(pull - 100) / 40.0)) + wiggle, model);
  }
  ASSERT_TRUE(steady.falling() && slowing.falling());
  EXPECT_NEAR(steady.falling_level(model), 0.5, 0.05);
  EXPECT_NEAR(slowing.falling_level(model), 0.5, 0.05);
  EXPECT_LT(steady.falling_average(1'500, model), 0.15);
  EXPECT_GT(slowing.falling_average(1'500, model), 0.45);
  EXPECT_NEAR(steady.falling_average(1, model), steady.falling_level(model), 0.01);
}

TEST(ArmForesight, IsWorthItsLevelAtTheEndAndMoreWithTimeLeft) {
  const ForesightModel model(10'000, 3, 0.05);
  ArmForesight arm;
  for (int pull = 0; pull < 60; ++pull) arm.add(0.4 + (pull % 2 == 0 ? 0.05 : -0.05), model);
  EXPECT_NEAR(arm.index(1, model), 0.4, 0.05);
  EXPECT_GT(arm.index(9'000, model), 0.5);  // it may yet grow, and a trial is cheap
  EXPECT_LE(arm.index(9'000, model), 1);
  EXPECT_FALSE(arm.falling());
}

TEST(ArmForesight, BelievesInGrowthThatItSees) {
  const ForesightModel model(2'000, 2, 0.02);
  ArmForesight straight;
  ArmForesight bent;
  for (int pull = 1; pull <= 100; ++pull) {
    const double wiggle = pull % 2 == 0 ? 0.02 : -0.02;
    straight.add(0.003 * pull + wiggle, model);
    bent.add(0.3 * (1 - std::exp(-pull / 15.0)) + wiggle, model);
  }
  EXPECT_GT(straight.index(1'500, model), 0.7);
  EXPECT_LT(bent.index(1'500, model), 0.45);
}

// ---- the noise's scale

TEST(NoiseScale, FindsTheStandardDeviationOnSteepCurvesToo) {
  std::mt19937 random(3);
  for (const double sd : {0.01, 0.1}) {
    NoiseScale scale(2);
    std::normal_distribution<double> noise(0, sd);
    for (int pull = 0; pull < 400; ++pull) {
      scale.add(0, 0.002 * pull + noise(random));
      scale.add(1, 1 - 0.001 * pull + noise(random));
    }
    EXPECT_NEAR(scale.sd() / sd, 1, 0.15);
  }
}

}  // namespace
}  // namespace longrun
