#include "longrun/simulate/world.h"

#include <gtest/gtest.h>

#include <cmath>

namespace longrun {
namespace {

Bandit two_arms(const Noise& noise) {
  return {.name = "two",
          .arm_names = {"a", "b"},
          .arms = {SaturatingPower{1, 1, 0.5}, Constant{0.4}},
          .noise = noise,
          .recorded_noise = nullptr};
}

TEST(World, TheRewardOfAPullDoesNotDependOnTheOrderOfPulls) {
  for (const Noise& noise : {Noise(NoNoise{}), Noise(Gaussian{0.1}), Noise(Uniform{0.1}), Noise(Bernoulli{})}) {
    World in_turn(two_arms(noise), 7);
    World one_first(two_arms(noise), 7);
    std::vector<double> first_arm;
    std::vector<double> second_arm;
    for (int i = 0; i < 100; ++i) {
      first_arm.push_back(in_turn.pull(0));
      second_arm.push_back(in_turn.pull(1));
    }
    for (int i = 0; i < 100; ++i) ASSERT_EQ(one_first.pull(1), second_arm[static_cast<std::size_t>(i)]);
    for (int i = 0; i < 100; ++i) ASSERT_EQ(one_first.pull(0), first_arm[static_cast<std::size_t>(i)]);
  }
}

TEST(World, SeedReplicateAndArmEachChangeTheNoise) {
  World base(two_arms(Gaussian{0.1}), 7, 0);
  World other_seed(two_arms(Gaussian{0.1}), 8, 0);
  World other_replicate(two_arms(Gaussian{0.1}), 7, 1);
  const double noise = base.pull(1) - 0.4;
  EXPECT_NE(noise, other_seed.pull(1) - 0.4);
  EXPECT_NE(noise, other_replicate.pull(1) - 0.4);
  EXPECT_NE(noise, base.pull(0));  // the first pull of arm 0 pays 0
}

TEST(World, EarnedIsTheSumOfMeansWithoutNoise) {
  World world(two_arms(Gaussian{5}), 1);
  for (int i = 0; i < 4; ++i) world.pull(0);
  for (int i = 0; i < 3; ++i) world.pull(1);
  EXPECT_EQ(world.pulls(), (std::vector<Pulls>{4, 3}));
  const double expected = (1 - 1 / std::sqrt(1)) + (1 - 1 / std::sqrt(2)) + (1 - 1 / std::sqrt(3)) + 0.5 + 3 * 0.4;
  EXPECT_NEAR(world.earned(), expected, 1e-12);
}

TEST(World, AddsRecordedNoiseInsteadOfDrawingNoise) {
  Bandit bandit = two_arms(Gaussian{5});
  bandit.recorded_noise = std::make_shared<RecordedNoise>(RecordedNoise{{0.5, -0.5}, {0.25, 0.125}});
  EXPECT_EQ(bandit.longest_horizon(), 2);
  World world(bandit, 1);
  EXPECT_EQ(world.pull(1), 0.4 + 0.25);
  EXPECT_EQ(world.pull(1), 0.4 + 0.125);
  EXPECT_EQ(world.pull(0), 0.5);
}

TEST(Impact, IsTheMeanOverAllPeopleOfAnArmPulledOrNot) {
  const Impact impact{.unit = "points", .per_pull = {{4, 2, -8, -10}, {1}}};
  EXPECT_EQ(impact.mean_after(0, 0), 0);
  EXPECT_EQ(impact.mean_after(0, 1), 1);
  EXPECT_EQ(impact.mean_after(0, 2), 1.5);
  EXPECT_EQ(impact.mean_after(0, 3), -0.5) << "one pull too many";
  EXPECT_EQ(impact.mean_after(0, 4), -3);
  EXPECT_EQ(impact.mean_after(0, 1'000'000'000'000), -3) << "pulls beyond the last have no effect";
  EXPECT_EQ(impact.mean_after(1, 1), 1);
}

TEST(Impact, IsKeptByTabulated) {
  Bandit bandit = two_arms(NoNoise{});
  EXPECT_EQ(bandit.impact, nullptr) << "unknown by default";
  bandit.impact = std::make_shared<Impact>(Impact{.unit = "points", .per_pull = {{1}, {2}}});
  EXPECT_EQ(bandit.tabulated(10).impact, bandit.impact);
}

}  // namespace
}  // namespace longrun
