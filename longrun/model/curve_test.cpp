#include "longrun/model/curve.h"

#include <gtest/gtest.h>

#include <cmath>

#include "longrun/base/input_error.h"
#include "tests/long_tests.h"

namespace longrun {
namespace {

TEST(Curve, FormulasGiveTheRewardsOfThePaper) {
  EXPECT_DOUBLE_EQ(Curve(SaturatingPower{1, 1, 0.5}).reward(4), 0.5);
  EXPECT_DOUBLE_EQ(Curve(SaturatingPower{0.5, 0.5, 1}).reward(4), 0.375);
  EXPECT_DOUBLE_EQ(Curve(CappedPower{0.5, 1000, 1}).reward(500), 0.25);
  EXPECT_DOUBLE_EQ(Curve(CappedPower{0.5, 1000, 0.4}).reward(1'000'000), 0.5);
  EXPECT_DOUBLE_EQ(Curve(Constant{0.3}).reward(77), 0.3);
  const double expected = -0.0015 * std::exp(-0.01 * (100 - 600.0)) - 0.95 / (std::exp(-0.011 * (100 - 600.0)) + 1) + 1;
  EXPECT_DOUBLE_EQ(Curve(RiseAndFall{0.01, 0.001, 1, 0.05, 600, -0.0015}).reward(100), expected);
}

TEST(Curve, NoveltyIsTheClosedFormOfItsRecursion) {
  for (const Novelty& item : {Novelty{0.36, 5.7e-05, 0.93, 0.0293}, Novelty{0, 0.17, 0.94, 0.108},
                              Novelty{0.4, 0.2, 0.9, 0.1},  // decay = 1 - pull_to_value
                              Novelty{0.2, 0.28, 0.914, 0.0396, 2.5}}) {
    double x = 0;
    for (Pulls pull = 1; pull <= 3000; ++pull) {
      ASSERT_NEAR(Curve(item).reward(pull), x / item.scale, 1e-12) << "pull " << pull;
      const double novelty = item.novelty * std::pow(item.decay, static_cast<double>(pull));
      x += novelty - item.pull_to_value * (x - item.value);
    }
  }
}

TEST(Curve, PowersOfNoveltyThatAreZeroAreExactlyThoseOfPow) {
  for (const double base : {0.0, 0.3, 0.9, 0.94, 0.999, 0.9999}) {
    const Novelty item{.value = 0, .novelty = 1, .decay = base, .pull_to_value = 1 - base};  // pays k base^k
    const double r = 1 - item.pull_to_value;
    const auto underflow = static_cast<Pulls>(746 / (1 - base));
    for (Pulls k = 1; k < 3 * underflow; k += 1 + underflow / 10'000) {
      ASSERT_EQ(item(k + 1), static_cast<double>(k) * std::pow(r, static_cast<double>(k))) << base << ", k " << k;
    }
  }
}

TEST(Curve, PowersOfARiseAndFallThatAreZeroAreExactlyThoseOfExp) {
  const RiseAndFall arm{.k1 = 0.5, .k2 = 0.25, .c1 = -1, .c2 = 0.75, .l = 3, .a = 0.125};
  for (Pulls pull = 1; pull < 3000; ++pull) {
    const double x = static_cast<double>(pull) - 3;
    ASSERT_EQ(arm(pull), 0.125 * std::exp(-0.5 * x) + 1.75 / (std::exp(-0.75 * x) + 1) - 1) << pull;
  }
}

TEST(Curve, FormulasOfLaterPapersFollowTheirDefinitions) {
  const Curve power = ShiftedPower{.ceiling = 0.8, .drop = 10, .shift = 10, .exponent = 1};
  EXPECT_EQ(power.reward(1), 0);
  EXPECT_NEAR(power.reward(11), 0.4, 1e-12);
  EXPECT_EQ((Curve{ShiftedPower{.ceiling = 2, .drop = 1, .shift = 1, .exponent = 1}}.reward(100)), 1) << "at most 1";
  const Curve exponential = SaturatingExponential{.ceiling = 0.5, .rate = 0.1};
  EXPECT_EQ(exponential.reward(1), 0);
  EXPECT_NEAR(exponential.reward(11), 0.5 * (1 - std::exp(-1.0)), 1e-12);
  const Curve hill = Hill{.start = 0.1, .top = 0.9, .end = 0.3, .peak = 101, .rise = 0.5, .fall = 50};
  EXPECT_EQ(hill.reward(1), 0.1);
  EXPECT_NEAR(hill.reward(26), 0.1 + 0.8 * 0.5, 1e-12);
  EXPECT_NEAR(hill.reward(101), 0.9, 1e-12);
  EXPECT_NEAR(hill.reward(151), 0.3 + 0.6 * std::exp(-1.0), 1e-12);
  EXPECT_EQ((Curve{Hill{.start = 0, .top = 0.7, .end = 0, .peak = 1}}.reward(1)), 0.7) << "falls from the first pull";
  const Curve step = Step{.before = 0.6, .after = 0.2, .pulls = 3};
  EXPECT_EQ(step.reward(3), 0.6);
  EXPECT_EQ(step.reward(4), 0.2);
}

TEST(Curve, SShapedFormulasFollowTheirDefinitions) {
  const Curve logistic = Logistic{.start = 0.1, .top = 0.9, .middle = 50, .width = 10};
  EXPECT_NEAR(logistic.reward(50), 0.5, 1e-12) << "half of the rise";
  EXPECT_NEAR(logistic.reward(60), 0.1 + 0.8 / (1 + std::exp(-1.0)), 1e-12);
  EXPECT_NEAR(logistic.reward(40) + logistic.reward(60), 1, 1e-12) << "symmetric";
  EXPECT_NEAR(logistic.reward(1'000'000), 0.9, 1e-12);
  const Curve gompertz = Gompertz{.start = 0.1, .top = 0.9, .middle = 50, .width = 10};
  EXPECT_NEAR(gompertz.reward(50), 0.1 + 0.8 * std::exp(-1.0), 1e-12);
  EXPECT_NEAR(gompertz.reward(60), 0.1 + 0.8 * std::exp(-std::exp(-1.0)), 1e-12);
  EXPECT_NEAR(gompertz.reward(1), 0.1, 1e-9);
  const Curve rises = TwoRises{.start = 0.1,
                               .plateau = 0.3,
                               .top = 0.7,
                               .fast = 5,
                               .middle = 100,
                               .exponent = 2,
                               .end = 0.2,
                               .peak = 201,
                               .fall = 50};
  EXPECT_EQ(rises.reward(1), 0.1);
  EXPECT_NEAR(rises.reward(6), 0.1 + 0.2 * (1 - std::exp(-1.0)) + 0.4 / 401, 1e-12) << "(100 / 5)^2 = 400";
  EXPECT_NEAR(rises.reward(101), 0.3 + 0.2, 1e-4) << "the plateau and half of the second rise";
  EXPECT_NEAR(rises.reward(201), 0.3 + 0.4 * 0.8, 1e-8) << "(100 / 200)^2 = 1/4";
  EXPECT_NEAR(rises.reward(251), 0.2 + (0.62 - 0.2) * std::exp(-1.0), 1e-8);
  const Curve hill = TwoRises{.start = 0.2, .plateau = 0.2, .top = 0.6, .middle = 9, .exponent = 1};
  EXPECT_NEAR(hill.reward(10), 0.4, 1e-12) << "a Hill curve";
  EXPECT_NEAR(hill.reward(28), 0.5, 1e-12);
  EXPECT_EQ(shape_of(rises, 1000).peak, 201);
  for (const Curve& curve : {logistic, gompertz, rises}) EXPECT_FALSE(shape_of(curve, 1000).concave_rise);
  for (const Curve& curve : {logistic, gompertz, hill}) EXPECT_TRUE(shape_of(curve, 1000).rising);
  EXPECT_TRUE(shape_of(hill, 1000).concave_rise) << "its exponent is 1";
}

TEST(Curve, TwoRisesHaveTheShapeOfTheFicoCurves) {
  const Curve curve = TwoRises{
      .start = 0.12, .plateau = 0.2, .top = 1.075, .fast = 4, .middle = 115, .exponent = 2.33, .end = 0, .peak = 300};
  struct Known {
    Pulls pull;
    double reward;
  };
  for (const Known& known : {Known{1, 0.12}, {5, 0.17}, {10, 0.2}, {50, 0.31}, {120, 0.65}, {300, 1}}) {
    EXPECT_NEAR(curve.reward(known.pull), known.reward, 0.015) << known.pull;
  }
}

TEST(Curve, CumulativeIsTheSumOfRewards) {
  for (const Curve& curve : {Curve(SaturatingPower{1, 1, 0.5}), Curve(SaturatingPower{1, 1, 0.5}).tabulated(1000),
                             Curve(SaturatingPower{1, 1, 0.5}).tabulated(10'000)}) {
    long double sum = 0;
    for (Pulls pull = 1; pull <= 5000; ++pull) {
      sum += curve.reward(pull);
      if (pull % 500 == 0) {
        ASSERT_NEAR(curve.cumulative(pull), static_cast<double>(sum), 1e-12 * static_cast<double>(sum));
      }
    }
  }
  EXPECT_EQ(Curve(Constant{0.3}).cumulative(0), 0);
}

TEST(Curve, IsDefinedUpToPullTenToTheEightWithoutATable) {
  const Curve curve = Curve(SaturatingPower{1, 1, 0.5}).tabulated(100);
  const Pulls far = 100'000'000;
  EXPECT_DOUBLE_EQ(curve.reward(far), 1 - 1e-4);
  const Pulls pulls = far / sanitizer_slowdown();
  // sum m^-1/2 = 2 sqrt(n) + zeta(1/2) + 1/(2 sqrt(n)) + O(n^-3/2)
  const double root = std::sqrt(static_cast<double>(pulls));
  const double expected = static_cast<double>(pulls) - (2 * root - 1.4603545088095868 + 1 / (2 * root));
  EXPECT_NEAR(curve.cumulative(pulls), expected, 1e-7);
}

TEST(Curve, ATableEndsWhereItsRewardsEnd) {
  const Curve curve = Curve::from_rewards({0.1, 0.5, 0.2});
  EXPECT_EQ(curve.length(), 3);
  EXPECT_EQ(curve.reward(3), 0.2);
  EXPECT_NEAR(curve.cumulative(3), 0.8, 1e-15);
  EXPECT_THROW(Curve::from_rewards({}), InputError);
  EXPECT_THROW(Curve::from_rewards({0.1, std::nan("")}), InputError);
}

TEST(Curve, ATableMayPayAFixedRewardBeyondItsEnd) {
  const Curve curve(Table{.rewards = std::make_shared<std::vector<double>>(2, 0.5), .after_end = 0});
  EXPECT_GT(curve.length(), 1'000'000'000'000);
  EXPECT_EQ(curve.reward(2), 0.5);
  EXPECT_EQ(curve.reward(3), 0);
  EXPECT_EQ(curve.cumulative(10), 1);
}

TEST(ShapeOf, DistinguishesRisingFallingAndPeaked) {
  const Shape rising = shape_of(SaturatingPower{1, 1, 0.5}, 5000);
  EXPECT_TRUE(rising.rising && rising.single_peaked && rising.concave_rise && !rising.falling);

  const Shape peaked = shape_of(RiseAndFall{0.01, 0.001, 1, 0.05, 600, -0.0015}, 5000);
  EXPECT_TRUE(peaked.single_peaked && !peaked.rising && !peaked.falling);
  EXPECT_GT(peaked.peak, 100);
  EXPECT_LT(peaked.peak, 600);

  const Shape constant = shape_of(Constant{0.4}, 100);
  EXPECT_TRUE(constant.rising && constant.falling && constant.single_peaked);

  const Shape falling = shape_of(Curve::from_rewards({0.9, 0.5, 0.5, 0.1}), 4);
  EXPECT_TRUE(falling.falling && falling.single_peaked && !falling.rising);
}

TEST(ShapeOf, DetectsDeviationsOfManySmallSteps) {
  std::vector<double> convex;
  std::vector<double> valley;
  for (int m = 1; m <= 100'000; ++m) {
    convex.push_back(std::pow(m / 1e5, 2));
    valley.push_back(m < 50'000 ? 0.6 - 1e-6 * m : 0.55 + 5e-10 * (m - 50'000));
  }
  EXPECT_FALSE(shape_of(Curve::from_rewards(convex), 100'000).single_peaked);
  EXPECT_FALSE(shape_of(Curve::from_rewards(valley), 100'000).falling);
}

/// Returns the rewards as read from a file with this number of decimals.
Curve with_decimals(int decimals, std::vector<double> rewards) {
  const double units = std::pow(10, decimals);
  for (double& reward : rewards) reward = std::round(reward * units) / units;
  return Curve::from_rewards(std::move(rewards));
}

std::vector<double> first_rewards(const Curve& curve, Pulls pulls) {
  std::vector<double> rewards;
  for (Pulls pull = 1; pull <= pulls; ++pull) rewards.push_back(curve.reward(pull));
  return rewards;
}

Shape rounded_shape(const Curve& curve, Pulls pulls) { return shape_of(curve, pulls, rounding_tolerance(curve)); }

TEST(Curve, ResolutionIsTheUnitOfTheLastDecimal) {
  EXPECT_EQ(Curve::from_rewards({0, 1, 1}).resolution(), 0.1) << "else every curve from 0 to 1 would be single-peaked";
  EXPECT_EQ(Curve::from_rewards({0.5, 0.3}).resolution(), 0.1);
  EXPECT_EQ(Curve::from_rewards({0.5, 0.1234, 0.25}).resolution(), 1e-4);
  EXPECT_EQ(Curve::from_rewards({0.123456789012}).resolution(), 1e-12);
  EXPECT_EQ(Curve::from_rewards({0.1234567890123}).resolution(), 0) << "more than 12 decimals are not rounding";
  EXPECT_EQ(Curve::from_rewards({0.5, 1.0 / 3}).resolution(), 0);
  EXPECT_EQ(Curve(Constant{0.5}).resolution(), 0) << "a formula is exact";
  EXPECT_EQ(Curve(Constant{0.5}).tabulated(10).resolution(), 0) << "a formula that is looked up is exact";
}

TEST(ShapeOf, ARoundedSinglePeakedCurveIsSinglePeakedWithinItsRounding) {
  for (const Curve& exact :
       {Curve(SaturatingPower{1, 1, 0.5}), Curve(SaturatingExponential{0.9, 0.003}),
        Curve(RiseAndFall{0.01, 0.001, 1, 0.05, 600, -0.0015}), Curve(Hill{0, 0.9, 0.1, 300, 0.5})}) {
    ASSERT_TRUE(shape_of(exact, 2000).single_peaked);
    for (const int decimals : {2, 3, 4, 6}) {
      const Curve rounded = with_decimals(decimals, first_rewards(exact, 2000));
      if (decimals < 6) {
        EXPECT_FALSE(shape_of(rounded, 2000).single_peaked) << decimals << " decimals";
      }
      EXPECT_TRUE(rounded_shape(rounded, 2000).single_peaked) << decimals << " decimals";
    }
  }
}

TEST(ShapeOf, ASecondRiseOfTenUnitsOfTheLastDecimalIsNoRounding) {
  std::vector<double> rewards = first_rewards(Hill{0, 0.9, 0.1, 300, 0.5}, 2000);
  for (std::size_t pull = 900; pull < 910; ++pull)
    rewards[pull] = rewards[899] + 1e-4 * static_cast<double>(pull - 899);
  const Curve rounded = with_decimals(4, rewards);
  const Shape shape = rounded_shape(rounded, 2000);
  EXPECT_FALSE(shape.single_peaked);
  EXPECT_NEAR(shape.deviation, 10e-4, 1.1e-4);
}

TEST(ShapeOf, ASlowConvexRiseIsNoRounding) {
  std::vector<double> convex;
  for (int m = 1; m <= 100'000; ++m) convex.push_back(std::pow(m / 1e5, 2));  // steps of at most 0.2 units
  EXPECT_FALSE(rounded_shape(with_decimals(4, convex), 100'000).single_peaked);
}

TEST(ShapeOf, FormulasAreExactForTheRoundingTolerance) {
  const ShapeTolerance exact;
  const ShapeTolerance formula = rounding_tolerance(SaturatingPower{1, 1, 0.5});
  EXPECT_EQ(formula.step, exact.step);
  EXPECT_EQ(formula.slope, exact.slope);
  EXPECT_EQ(exact.step, 1e-9);
  EXPECT_EQ(exact.slope, 1e-9);
}

TEST(ShapeOf, DeviationIsTheLargestViolationOfSinglePeakedness) {
  const Shape bump = shape_of(Curve::from_rewards({0.1, 0.5, 0.4, 0.43, 0.2}), 5);  // rises again after its peak
  EXPECT_FALSE(bump.single_peaked);
  EXPECT_NEAR(bump.deviation, 0.03, 1e-12);
  EXPECT_TRUE(shape_of(Curve::from_rewards({0.1, 0.5, 0.4, 0.43, 0.2}), 5, {.step = 0.05}).single_peaked);

  const Shape convex = shape_of(Curve::from_rewards({0.1, 0.2, 0.4, 0.3}), 4);  // rises with growing steps
  EXPECT_FALSE(convex.single_peaked || convex.concave_rise);
  EXPECT_NEAR(convex.deviation, 0.1, 1e-12);
}

}  // namespace
}  // namespace longrun
