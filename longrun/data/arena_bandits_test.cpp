#include "longrun/data/arena_bandits.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

namespace longrun {
namespace {

constexpr std::array kKinds{ArmKind::peaked, ArmKind::rising, ArmKind::falling, ArmKind::constant};

TEST(RandomBandit, HasArmsOfItsKind) {
  for (const ArmKind kind : kKinds) {
    for (std::uint64_t instance = 1; instance <= 40; ++instance) {
      const Bandit bandit = random_bandit("r", kind, instance);
      ASSERT_GE(bandit.arm_count(), 2);
      ASSERT_LE(bandit.arm_count(), 20);
      for (const Curve& curve : bandit.arms) {
        const Shape shape = shape_of(curve, bandit.horizon);
        EXPECT_TRUE(shape.single_peaked) << instance;
        if (kind == ArmKind::peaked) {
          EXPECT_GE(shape.peak, 10) << instance;
        } else {
          EXPECT_EQ(shape.rising, kind != ArmKind::falling) << instance;
          EXPECT_EQ(shape.falling, kind != ArmKind::rising) << instance;
        }
        for (const Pulls pull : {1, 10, 1000, 10'000}) {
          EXPECT_GE(curve.reward(pull), 0);
          EXPECT_LE(curve.reward(pull), 1);
        }
      }
    }
  }
}

TEST(RandomBandit, IsTheSameForTheSameInstanceAndAnotherForAnother) {
  for (const ArmKind kind : kKinds) {
    const auto first_rewards = [&](std::uint64_t instance) {
      std::vector<double> rewards;
      for (const Curve& curve : random_bandit("r", kind, instance).arms) rewards.push_back(curve.reward(500));
      return rewards;
    };
    EXPECT_EQ(first_rewards(7), first_rewards(7));
    EXPECT_NE(first_rewards(7), first_rewards(8));
  }
}

TEST(RandomBandit, OfManyHasFewAndManyArms) {
  std::set<Arm> counts;
  for (std::uint64_t instance = 1; instance <= 300; ++instance) {
    counts.insert(random_bandit("r", ArmKind::constant, instance).arm_count());
  }
  EXPECT_EQ(*counts.begin(), 2);
  EXPECT_EQ(*counts.rbegin(), 20);
}

// The best single arms of the two bandits of Metelli et al., as published, with nothing clamped to 1.
TEST(LaterBandits, BestArmsEarnWhatIsPublished) {
  const Bandit two = metelli_2("m");
  double best = 0;
  for (const Curve& curve : two.arms) best = std::max(best, curve.cumulative(50'000));
  EXPECT_NEAR(best, 37499.50, 0.01);

  const Bandit fifteen = metelli_15("m");
  const Curve& thirteenth = fifteen.arms[12];
  double unclamped = 0;
  for (int x = 0; x < 50'000; ++x) unclamped += 1.08 * (1 - 85 / std::pow(x + std::pow(85, 1 / 0.8), 0.8));
  EXPECT_NEAR(unclamped, 51393.22, 0.01);
  EXPECT_LT(thirteenth.cumulative(50'000), unclamped) << "rewards here are at most 1";
  for (const Curve& curve : fifteen.arms) EXPECT_LE(curve.cumulative(50'000), thirteenth.cumulative(50'000));
}

TEST(LaterBandits, SeznecsArmsFallOnceAroundOneHalf) {
  const Bandit bandit = seznec_10("s");
  ASSERT_EQ(bandit.arm_count(), 10);
  for (const Curve& curve : bandit.arms) {
    EXPECT_NEAR(curve.reward(1000) + curve.reward(1001), 1, 1e-12);
    EXPECT_GE(curve.reward(1000), curve.reward(1001));
  }
  EXPECT_EQ(bandit.arms[9].reward(1), 1);
  EXPECT_EQ(bandit.arms[9].reward(1001), 0);
}

TEST(LaterBandits, MussisArmsAreTheirFormulas) {
  EXPECT_NEAR(mussi_a("a").arms[0].reward(38), 1 - 37.0 / 74, 1e-12);
  EXPECT_NEAR(mussi_a("a").arms[4].reward(21), 0.5 * (1 - 20.0 / 40), 1e-12);
  EXPECT_NEAR(mussi_b("b").arms[0].reward(101), 0.25, 1e-12);
  EXPECT_NEAR(mussi_b("b").arms[0].reward(1000), 0.99, 1e-12);
  EXPECT_NEAR(mussi_b("b").arms[2].reward(101), 0.4, 1e-12);
}

}  // namespace
}  // namespace longrun
