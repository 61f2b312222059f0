#include "longrun/data/arena_bandits.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <string>

#include "tests/long_tests.h"

namespace longrun {
namespace {

/// Returns whether no reward is below an earlier one up to the peak, or above an earlier one after it.
bool rises_then_falls(const Curve& curve, Pulls pulls) {
  constexpr double kRounding = 1e-12;
  Pulls peak = 1;
  for (Pulls pull = 2; pull <= pulls; ++pull) {
    if (curve.reward(pull) > curve.reward(peak)) peak = pull;
  }
  for (Pulls pull = 2; pull <= pulls; ++pull) {
    const double step = curve.reward(pull) - curve.reward(pull - 1);
    if ((pull <= peak ? -step : step) > kRounding) return false;
  }
  return true;
}

const RandomFamily& family_named(std::string_view name) {
  return *std::find_if(kRandomFamilies.begin(), kRandomFamilies.end(),
                       [&](const RandomFamily& family) { return family.name == name; });
}

TEST(RandomBandit, HasArmsOfItsKindWithRewardsInTheUnitInterval) {
  for (const RandomFamily& family : kRandomFamilies) {
    for (std::uint64_t instance = 1; instance <= (sanitizer_slowdown() > 1 ? 4 : 40); ++instance) {
      const Bandit bandit = random_bandit("r", family, instance);
      ASSERT_GE(bandit.arm_count(), 2);
      ASSERT_LE(bandit.arm_count(), family.most_arms);
      for (const Curve& curve : bandit.arms) {
        ASSERT_TRUE(rises_then_falls(curve, bandit.horizon)) << family.name << instance << ": needed by the optimum";
        for (const Pulls pull : {1, 10, 1000, 10'000}) {
          EXPECT_GE(curve.reward(pull), 0);
          EXPECT_LE(curve.reward(pull), 1);
        }
        const Shape shape = shape_of(curve, bandit.horizon);
        switch (family.kind) {
          case ArmKind::mixed:
            break;  // below
          case ArmKind::s_shaped:
            EXPECT_TRUE(shape.rising) << instance;
            EXPECT_FALSE(shape.single_peaked) << instance;
            break;
          case ArmKind::plateau:
            EXPECT_GE(shape.peak, 60) << instance;
            EXPECT_FALSE(shape.concave_rise) << instance;
            break;
          case ArmKind::peaked:
            EXPECT_TRUE(shape.single_peaked) << instance;
            EXPECT_GE(shape.peak, 10) << instance;
            break;
          default:
            EXPECT_TRUE(shape.single_peaked) << instance;
            EXPECT_EQ(shape.rising, family.kind != ArmKind::falling) << instance;
            EXPECT_EQ(shape.falling, family.kind != ArmKind::rising) << instance;
        }
      }
    }
  }
}

// The first arm of instance 1, from the random numbers of its stream by the definition in the header.
TEST(RandomBandit, HasTheRewardsOfItsDefinition) {
  const auto numbers = [](InstanceFamily stream) {
    return [stream](std::uint64_t k, double low, double high) {
      return low + (high - low) * unit_interval(random_block(instance_stream(stream, 1), k)[0]);
    };
  };
  {
    const auto u = numbers(InstanceFamily::random_s_shaped);
    const double top = u(1, 0.1, 1);
    const double start = top * u(2, 0, 0.5);
    const double middle = 20 * std::pow(250.0, u(3, 0, 1));
    const double width = middle * u(4, 0.05, 0.4);
    const double exponent = u(5, 1.5, 5);
    const Curve curve = random_bandit("r", family_named("random_s_shaped"), 1).arms[0];
    for (const double m : {1.0, 7.0, 300.0, 5000.0}) {
      const std::array shares{1 / (1 + std::exp((middle - m) / width)), std::exp(-std::exp((middle - m) / width)),
                              m > 1 ? 1 / (1 + std::pow(middle / (m - 1), exponent)) : 0};
      const double share = shares[static_cast<std::size_t>(u(6, 0, 3))];
      EXPECT_NEAR(curve.reward(static_cast<Pulls>(m)), start + (top - start) * share, 1e-12) << m;
    }
  }
  {
    const auto u = numbers(InstanceFamily::random_plateau);
    const double top = u(1, 0.1, 1);
    const double start = top * u(2, 0, 0.3);
    const double plateau = start + (top - start) * u(3, 0.05, 0.4);
    const double middle = 30 * std::pow(100.0, u(4, 0, 1));
    const double fast = middle * 0.01 * std::pow(5.0, u(5, 0, 1));
    const double exponent = u(6, 2, 4);
    const double peak = std::round(u(7, 2, 6) * middle);
    const double fall = 100 * std::pow(100.0, u(8, 0, 1));
    const Curve curve = random_bandit("r", family_named("random_plateau"), 1).arms[0];
    const auto risen = [&](double m) {
      const double second = m > 1 ? (top - plateau) / (1 + std::pow(middle / (m - 1), exponent)) : 0;
      return start + (plateau - start) * (1 - std::exp(-(m - 1) / fast)) + second;
    };
    const double end = risen(peak) * u(9, 0, 1);
    for (const double m : {1.0, 7.0, 40.0, peak}) {
      EXPECT_NEAR(curve.reward(static_cast<Pulls>(m)), risen(m), 1e-12) << m;
    }
    EXPECT_NEAR(curve.reward(static_cast<Pulls>(peak) + 500), end + (risen(peak) - end) * std::exp(-500 / fall), 1e-12);
  }
}

TEST(RandomBandit, IsTheSameForTheSameInstanceAndAnotherForAnother) {
  for (const RandomFamily& family : kRandomFamilies) {
    const auto first_rewards = [&](std::uint64_t instance) {
      std::vector<double> rewards;
      for (const Curve& curve : random_bandit("r", family, instance).arms) rewards.push_back(curve.reward(500));
      return rewards;
    };
    EXPECT_EQ(first_rewards(7), first_rewards(7));
    EXPECT_NE(first_rewards(7), first_rewards(8));
  }
}

TEST(RandomBandit, OfManyHasFewAndManyArms) {
  for (const RandomFamily& family : kRandomFamilies) {
    std::set<Arm> counts;
    for (std::uint64_t instance = 1; instance <= 400; ++instance) {
      counts.insert(random_bandit("r", family, instance).arm_count());
    }
    EXPECT_EQ(*counts.begin(), 2) << family.name;
    EXPECT_GE(*counts.rbegin(), family.most_arms - 1) << family.name;
  }
}

TEST(RandomBandit, OfMixedArmsHasEachKindOnceAmongFive) {
  for (std::uint64_t instance = 1; instance <= 60; ++instance) {
    const Bandit bandit = random_bandit("r", family_named("random_mixed"), instance);
    if (bandit.arm_count() < 5) continue;
    std::multiset<std::string> kinds;
    for (std::size_t arm = 0; arm < 5; ++arm) {
      const Shape shape = shape_of(bandit.arms[arm], 100'000);
      kinds.insert(shape.rising && shape.falling ? "constant"
                   : shape.falling               ? "falling"
                   : !shape.rising               ? "peaked"
                   : shape.concave_rise          ? "rising"
                                                 : "S-shaped");
    }
    EXPECT_EQ(kinds, (std::multiset<std::string>{"S-shaped", "constant", "falling", "peaked", "rising"})) << instance;
  }
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
