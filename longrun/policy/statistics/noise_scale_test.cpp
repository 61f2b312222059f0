#include "longrun/policy/statistics/noise_scale.h"

#include <gtest/gtest.h>

#include <random>

namespace longrun {
namespace {

TEST(NoiseScale, StartsWithTheGuess) {
  NoiseScale scale(1);
  EXPECT_EQ(scale.sd(), kForesightTuning.sd_guess);
  scale.add(0, 0.2);
  scale.add(0, 0.9);
  EXPECT_EQ(scale.sd(), kForesightTuning.sd_guess);  // two rewards have no second difference
}

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
