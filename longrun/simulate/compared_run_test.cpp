#include "longrun/simulate/compared_run.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "longrun/base/input_error.h"

namespace longrun {
namespace {

Bandit two_arms(std::vector<double> first, std::vector<double> second) {
  const auto horizon = static_cast<Pulls>(first.size());
  return {.name = "two",
          .arm_names = {"first", "second"},
          .arms = {Curve::from_rewards(std::move(first)), Curve::from_rewards(std::move(second))},
          .recorded_noise = nullptr,
          .horizon = horizon};
}

RunSpec spec_of(const char* policy) {
  const Bandit bandit = two_arms({0.5, 0.5, 0.5}, {0.1, 0.1, 0.1});
  return {.policy = PolicyChoice(policy), .bandit = bandit, .setting = {.arms = 2, .horizon = 3}};
}

TEST(ComparedRun, HasTheRegretAgainstTheBestAllocation) {
  const ComparedRun run = play_and_compare(spec_of("greedy"), true);
  EXPECT_EQ(run.trace, (std::vector<Arm>{0, 1, 0}));
  EXPECT_EQ(run.pulls, (std::vector<Pulls>{2, 1}));
  EXPECT_EQ(run.best.pulls, (std::vector<Pulls>{3, 0}));
  EXPECT_NEAR(run.regret, 0.4, 1e-15);
  EXPECT_NEAR(run.per_step_regret, 0.4 / 3, 1e-15);
  EXPECT_TRUE(run.rounds.empty());
  EXPECT_TRUE(play_and_compare(spec_of("greedy"), false).trace.empty());
}

TEST(ComparedRun, GivesThePlanToAPolicyThatNeedsIt) {
  EXPECT_EQ(play_and_compare(spec_of("optimal"), false).regret, 0);
}

TEST(ComparedRun, UnderConstraintsStepsHaveRounds) {
  RunSpec spec = spec_of("optimal");
  spec.constraints.minimum_pulls.named[1] = 2;
  spec.constraints.units_per_round = 2;
  const ComparedRun run = play_and_compare(spec, true);
  EXPECT_EQ(run.rounds, (std::vector<Pulls>{1, 1, 2}));
  EXPECT_EQ(run.pulls, (std::vector<Pulls>{1, 2}));
  EXPECT_EQ(run.regret, 0);
}

TEST(ComparedRun, RefusesASettingThatDoesNotFitTheBandit) {
  for (const Pulls units : {1, 2}) {  // without and with constraints
    RunSpec spec = spec_of("greedy");
    spec.constraints.units_per_round = units;
    spec.setting.arms = 3;
    EXPECT_THROW(play_and_compare(spec, false), InputError);
    spec.setting = {.arms = 2, .horizon = 4};
    EXPECT_THROW(play_and_compare(spec, false), InputError);
  }
}

TEST(OtherShapes, CountsTheArmsThatAreNotSinglePeakedAndFindsTheWorst) {
  EXPECT_EQ(other_shapes(two_arms({0.5, 0.6, 0.2, 0.1}, {0.1, 0.2, 0.3, 0.4})).count, 0U);
  const OtherShapes others = other_shapes(two_arms({0.55, 0.41, 0.53, 0.4}, {0.1, 0.7, 0.4, 0.6}));
  EXPECT_EQ(others.count, 2U);
  EXPECT_EQ(others.worst, 1U);
  EXPECT_NEAR(others.deviation, 0.2, 1e-12);
}

}  // namespace
}  // namespace longrun
