// The state of one arm under noise: its bounds and its classification by simulation, its index on known curves.
#include "longrun/policy/foresight/arm_foresight.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <random>
#include <span>
#include <vector>

#include "longrun/base/random.h"
#include "longrun/model/noise.h"
#include "tests/long_tests.h"

namespace longrun {
namespace {

/// Returns a curve that rises concavely to a peak and then falls, with a random start, scale and shape.
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

/// Returns whether the bound holds for every later mean reward, at every time.
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

/// Returns how many of `runs` random curves exceed their bound at some time.
int bounds_crossed(const Noise& noise, int runs) {
  std::mt19937 random(1);
  int failures = 0;
  for (int run = 0; run < runs; ++run) {
    failures += bound_holds(random_peaked_curve(random, 700), noise, static_cast<std::uint32_t>(run)) ? 0 : 1;
  }
  return failures;
}

TEST(ArmForesight, BoundsEverySinglePeakedCurveWithoutNoise) { EXPECT_EQ(bounds_crossed(NoNoise{}, 300), 0); }

TEST(ArmForesight, BoundsTheCurveAtAllTimesWithThePromisedProbability) {
  constexpr int kRuns = 400 / sanitizer_slowdown();
  // Promised is 2 * failure: once for the bound, once for the fall that it may rest on. Union bounds are generous.
  for (const Noise& noise :
       {Noise{Gaussian{.sd = 0.05}}, Noise{Gaussian{.sd = 0.2}}, Noise{Uniform{.bound = 0.2}}, Noise{Bernoulli{}}}) {
    EXPECT_LE(bounds_crossed(noise, kRuns), 0.01 * kRuns) << to_text(noise);
  }
}

/// Returns how many of `runs` arms with this curve are classified as falling within `length` pulls.
int classified_as_falling(const std::function<double(Pulls)>& curve, Pulls length, const Noise& noise, int runs) {
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

TEST(ArmForesight, ClassifiesFlatAndRisingArmsAsFallingAsRarelyAsPromised) {
  constexpr int kRuns = 300 / sanitizer_slowdown();
  const auto flat = [](Pulls) { return 0.5; };
  const auto rising = [](Pulls pull) { return 0.9 - 0.5 / std::sqrt(static_cast<double>(pull)); };
  for (const Noise& noise : {Noise{Gaussian{.sd = 0.1}}, Noise{Uniform{.bound = 0.2}}, Noise{Bernoulli{}}}) {
    EXPECT_LE(classified_as_falling(flat, 2'000, noise, kRuns), kForesightTuning.failure * kRuns) << to_text(noise);
    EXPECT_LE(classified_as_falling(rising, 2'000, noise, kRuns), kForesightTuning.failure * kRuns) << to_text(noise);
  }
}

TEST(ArmForesight, DetectsAFallSoonAfterIt) {
  constexpr int kRuns = 200;
  const auto falls = [](Pulls pull) { return pull <= 500 ? 0.7 : 0.5; };  // two standard deviations
  EXPECT_LE(classified_as_falling(falls, 500, Gaussian{.sd = 0.1}, kRuns), kForesightTuning.failure * kRuns);
  EXPECT_GE(classified_as_falling(falls, 600, Gaussian{.sd = 0.1}, kRuns), 0.95 * kRuns);
}

TEST(ArmForesight, DetectsAFallAfterOneWindowOfLevelRewards) {
  const auto falls = [](Pulls pull) { return pull <= 64 ? 0.8 : 0.6; };
  EXPECT_GE(classified_as_falling(falls, 160, Gaussian{.sd = 0.1}, 200), 0.95 * 200);
}

TEST(ArmForesight, HeavyTailsAreRarelyMistakenForAFall) {
  constexpr int kRuns = 100 / sanitizer_slowdown();
  const auto flat = [](Pulls) { return 0.8; };
  EXPECT_LE(classified_as_falling(flat, 5'000, StudentT{.sd = 0.05}, kRuns), 0.1 * kRuns);
}

TEST(ArmForesight, OneOutlierDoesNotEndThePullsOfAFallingArm) {
  const ForesightModel model(2'000, 2, 0.05);
  for (int outlier = 400; outlier < 420; ++outlier) {  // at every place of its windows
    ArmForesight arm;
    for (int pull = 0; pull <= outlier; ++pull) {
      const double wiggle = pull % 2 == 0 ? 0.05 : -0.05;
      arm.add(pull == outlier ? -3 : (pull < 200 ? 0.9 : 0.6) + wiggle, model);
    }
    ASSERT_TRUE(arm.falling());
    EXPECT_GT(arm.falling_level(model), 0.5) << outlier;
  }
}

TEST(ArmForesight, LevelArmsTellOthersMoreTheLongerTheyHaveBeenPulled) {
  const auto expected_growth = [](int pulls) {
    ForesightModel model(10'000, 6, 0.05);
    for (int other = 0; other < 5; ++other) {
      ArmForesight arm;
      for (int pull = 0; pull < pulls; ++pull) arm.add(0.3 + (pull % 2 == 0 ? 0.05 : -0.05), model);
      arm.show_kind(model);
    }
    return model.kinds_without({}).growth();
  };
  const double before = ForesightModel(10'000, 6, 0.05).prior_kinds().growth();
  EXPECT_GT(expected_growth(10), 0.8 * before);  // growth may begin later
  EXPECT_LT(expected_growth(1'000), 0.2);
}

TEST(ForesightModel, ExpectsLessGrowthOnAShortHorizon) {
  const auto growth = [](Pulls horizon) { return ForesightModel(horizon, 8, 0.05).kinds_without({}).growth(); };
  const double most = 1 - kForesightTuning.no_growth;
  EXPECT_NEAR(growth(100'000), most, 1e-12);
  EXPECT_NEAR(growth(10'000), most, 1e-12);
  EXPECT_NEAR(growth(99), most / 2, 1e-12);  // ln(1 + 99) is half of ln(10,000)
  ForesightModel extended(99, 8, 0.05);
  extended.extend(99'901);
  EXPECT_NEAR(extended.kinds_without({}).growth(), most, 1e-12);
}

TEST(ArmForesight, GrowthThatIsHiddenPaysOnlyAfterItHasBegun) {
  const ForesightModel model(100'000, 2, 0.05);
  ArmForesight arm;
  for (int pull = 0; pull < 4; ++pull) arm.add(0.3, model);
  // Delays drawn from their distribution; the future pays `now` before growth begins and the bound after that.
  const double scale = kForesightTuning.hidden_growth_pulls + 4;
  for (const Pulls remaining : {1, 10, 100, 10'000}) {
    double mean = 0;
    constexpr int kDelays = 200'000;
    for (int draw = 0; draw < kDelays; ++draw) {
      const double delay = scale * (std::pow((draw + 0.5) / kDelays, -0.25) - 1);
      mean += std::max(0.0, 1 - delay / static_cast<double>(remaining)) / kDelays;
    }
    const Prospects prospects = arm.prospects(remaining, model);
    const Prospect& hidden = prospects[prospects.size() - 1];
    const double most = std::clamp(1 + arm.bound(remaining, model).average_less_one(remaining), 0.0, 1.0);
    ASSERT_GT(most, hidden.now);
    EXPECT_NEAR((hidden.average - hidden.now) / (most - hidden.now), mean, 1e-4) << remaining;
  }
}

TEST(ArmForesight, FuturesWithoutEvidenceHaveTheirShareOfTheGrowthThatOtherArmsLeave) {
  const Pulls horizon = 100;
  const double growth_share = std::log(101.0) / std::log(10'000.0);
  for (const double others : {0.0, 3.0}) {  // other arms that have shown growth; numbers as in docs/method.md
    ForesightModel model(horizon, 5, 0.05);
    model.replace_kinds({}, {.constant = 0, .grows = others, .grows_from_zero = 0});
    const double growth = model.kinds_without({}).growth();
    EXPECT_NEAR(growth, (0.25 * 0.85 * growth_share + others) / (0.25 + others), 1e-12);
    ArmForesight arm;
    for (int pull = 0; pull < 10; ++pull) arm.add(0.3 + (pull % 2 == 0 ? 0.05 : -0.05), model);
    const Prospects prospects = arm.prospects(horizon - 10, model);
    const std::size_t last = prospects.size() - 1;
    EXPECT_NEAR(prospects[last].weight,
                0.5 * std::min(1.0, growth / std::sqrt(growth_share)) * std::pow(1 + 10.0 / 70, -4), 1e-12);
    for (std::size_t k = last - 3; k < last; ++k) EXPECT_NEAR(prospects[k].weight, growth / 8 / 3, 1e-12);
  }
}

TEST(ArmForesight, OnlyTheIndexOfAFallingArmExceedsItsBound) {
  std::mt19937 random(2);
  const Pulls horizon = 400;
  const ForesightModel model(horizon, 3, 0.1);
  int indices = 0;
  for (int run = 0; run < 30; ++run) {
    const std::vector<double> rewards = random_peaked_curve(random, horizon);
    const StreamKey key{.seed = 5, .replicate = static_cast<std::uint32_t>(run), .purpose = Purpose::noise};
    ArmForesight arm;
    for (Pulls pull = 1; pull < horizon; ++pull) {
      double reward = rewards[static_cast<std::size_t>(pull - 1)];
      add_noise(Gaussian{.sd = 0.1}, key, pull, std::span(&reward, 1));
      arm.add(reward, model);
      if (arm.falling()) break;
      const Pulls remaining = horizon - pull;
      EXPECT_LE(arm.index(remaining, model), 1 + arm.bound(remaining, model).average_less_one(remaining) + 1e-12);
      ++indices;
    }
  }
  EXPECT_GT(indices, 1'000);

  ArmForesight fallen;
  for (int pull = 0; pull < 300; ++pull) fallen.add((pull < 200 ? 0.9 : 0.4) + (pull % 2 == 0 ? 0.1 : -0.1), model);
  ASSERT_TRUE(fallen.falling());
  fallen.add(-3, model);  // the index limits outliers, the bound does not
  EXPECT_GT(fallen.index(50, model), 1 + fallen.bound(50, model).average_less_one(50));
}

TEST(ArmForesight, ExpectsAFallToContinueUnlessItHasSlowedDown) {
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

TEST(ArmForesight, IndexIsTheLevelAtTheEndAndMoreBefore) {
  const ForesightModel model(10'000, 3, 0.05);
  ArmForesight arm;
  for (int pull = 0; pull < 60; ++pull) arm.add(0.4 + (pull % 2 == 0 ? 0.05 : -0.05), model);
  EXPECT_NEAR(arm.index(1, model), 0.4, 0.05);
  EXPECT_GT(arm.index(9'000, model), 0.5);  // it may still grow, and a trial is cheap
  EXPECT_LE(arm.index(9'000, model), 1);
  EXPECT_FALSE(arm.falling());
}

TEST(ArmForesight, IndexFollowsTheShapeOfGrowth) {
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

}  // namespace
}  // namespace longrun
