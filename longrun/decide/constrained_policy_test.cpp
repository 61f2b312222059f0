// ConstrainedPolicy in live use: logs, unavailable arms, copies. tests/constrained_runs_test.cpp checks that no policy
// breaks a constraint.
#include "longrun/decide/constrained_policy.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "longrun/base/input_error.h"

namespace longrun {
namespace {

TEST(ConstrainedPolicy, LeavesOutArmsThatAreUnavailableNow) {
  ConstrainedPolicy live(PolicyChoice("greedy"), {.arms = 3, .horizon = 30}, {.units_per_round = 3});
  const std::vector<Arm> unavailable{0, 2};
  live.set_unavailable(unavailable);
  for (const Arm arm : live.next_round()) EXPECT_EQ(arm, 1);
  live.set_unavailable({});
  const auto next = live.next_round();
  EXPECT_NE(std::find(next.begin(), next.end(), 0), next.end());
  const std::vector<Arm> not_an_arm{3};
  EXPECT_THROW(live.set_unavailable(not_an_arm), InputError);
}

TEST(ConstrainedPolicy, CountsALogAsPullsMade) {
  ConstrainedPolicy live(PolicyChoice("greedy"), {.arms = 2, .horizon = 20}, {.minimum_pulls = {.every = 4}});
  for (int pull = 0; pull < 6; ++pull) live.add(0, 0.9);
  EXPECT_EQ(live.spent(), 6);
  EXPECT_EQ(live.round(), 6);
  for (int pull = 0; pull < 4; ++pull) {
    const auto round = live.next_round();
    ASSERT_EQ(round.size(), 1U);
    EXPECT_EQ(round[0], 1) << "lacking pulls of arm 1 come first";
    live.observe(1, 0.1);
  }
  ASSERT_EQ(live.next_round().size(), 1U);
  EXPECT_EQ(live.round(), 11);
  EXPECT_EQ(live.spent(), 11);
}

TEST(ConstrainedPolicy, OwesNoShareOfPullsMadeWhileAnArmWasUnavailable) {
  Constraints constraints;
  constraints.minimum_share.named[1] = 0.5;
  constraints.unavailable[1] = {{1, 100}};
  ConstrainedPolicy live(PolicyChoice("greedy"), {.arms = 2, .horizon = 400}, constraints);
  for (int pull = 0; pull < 100; ++pull) live.add(0, 0.9);
  int of_arm_1 = 0;
  for (int pull = 0; pull < 40; ++pull) {
    const auto round = live.next_round();
    ASSERT_EQ(round.size(), 1U);
    of_arm_1 += round[0];
    live.observe(round[0], round[0] == 0 ? 0.9 : 0.1);
  }
  EXPECT_NEAR(of_arm_1, 20, 1);  // half of the pulls since then; the log is not made up for
}

TEST(ConstrainedPolicy, ContinuesARoundThatALogFilledInPart) {
  ConstrainedPolicy live(PolicyChoice("greedy"), {.arms = 2, .horizon = 14}, {.units_per_round = 5});
  for (int pull = 0; pull < 7; ++pull) live.add(pull % 2, 0.5);
  EXPECT_EQ(live.next_round().size(), 3U);
  EXPECT_EQ(live.round(), 2);
  EXPECT_EQ(live.next_round().size(), 4U);
  EXPECT_TRUE(live.done());
}

TEST(ConstrainedPolicy, StatesTheCauseOfEveryPull) {
  ConstrainedPolicy live(
      PolicyChoice("greedy"), {.arms = 2, .horizon = 40},
      {.units_per_round = 8, .minimum_pulls = {.named = {{1, 2}}}, .minimum_share = {.named = {{0, 0.25}}}});
  const auto pulls = live.next_round();
  ASSERT_EQ(live.causes().size(), pulls.size());
  EXPECT_EQ(live.causes()[0], PullCause::share);
  EXPECT_EQ(live.causes()[1], PullCause::minimum);
  EXPECT_EQ(live.causes()[2], PullCause::minimum);
  EXPECT_EQ(live.causes()[3], PullCause::choice);
}

TEST(ConstrainedPolicy, CountsWithThePullsThatTheRestOfTheBudgetPaysFor) {
  // 10 units are left, too few for the growth of arm 1. Of the 930 pulls that the budget could buy, 29 are made.
  for (const char* policy : {"foresight", "spo", "spo@released"}) {
    ConstrainedPolicy live(PolicyChoice(policy), {.arms = 3, .horizon = 930},
                           {.costs = {.every = 1, .named = {{0, 100}}}});
    for (int pull = 1; pull <= 9; ++pull) live.add(0, 0.2);
    for (int pull = 1; pull <= 10; ++pull) {
      live.add(1, 0.1 + 0.01 * pull);
      live.add(2, 0.5);
    }
    EXPECT_EQ(live.next_round()[0], 2) << policy;
  }
}

TEST(ConstrainedPolicy, CopiesAreIndependent) {
  for (const PolicyEntry& entry : policy_catalog()) {
    if (entry.traits.needs_plan) continue;
    ConstrainedPolicy first(PolicyChoice(entry.name), {.arms = 3, .horizon = 400}, {});
    for (int pull = 0; pull < 60; ++pull) first.add(pull % 3, 0.5 + 0.1 * (pull % 3));
    ConstrainedPolicy second = first;
    for (int pull = 0; pull < 100; ++pull) second.add(2, 0.1);
    const ConstrainedPolicy third = first;
    for (int step = 0; step < 100; ++step) {
      ConstrainedPolicy copy = first;
      const Arm arm = first.next_round()[0];
      EXPECT_EQ(copy.next_round()[0], arm) << entry.name << ", step " << step;
      first.observe(arm, 0.5 + 0.1 * arm);
    }
    EXPECT_EQ(third.spent(), 60);
    EXPECT_EQ(second.spent(), 160);
  }
}

TEST(ConstrainedPolicy, ACancelledPullIsOwedAgain) {
  ConstrainedPolicy live(PolicyChoice("spo"), {.arms = 2, .horizon = 10}, {.minimum_pulls = {.named = {{1, 2}}}});
  EXPECT_EQ(live.next_round()[0], 1);
  live.cancel(1);
  live.add(0, 0.5);  // instead
  EXPECT_EQ(live.spent(), 1);
  EXPECT_EQ(live.next_round()[0], 1);
  live.observe(1, 0.5);
  EXPECT_EQ(live.next_round()[0], 1);
}

TEST(ConstrainedPolicy, ACancelledPullGivesItsUnitsBack) {
  ConstrainedPolicy one_by_one(PolicyChoice("spo"), {.arms = 2, .horizon = 3}, {});
  for (int pull = 0; pull < 3; ++pull) ASSERT_EQ(one_by_one.next_round().size(), 1U);
  EXPECT_TRUE(one_by_one.done());
  one_by_one.cancel(0);
  EXPECT_FALSE(one_by_one.done());
  ASSERT_EQ(one_by_one.next_round().size(), 1U);
  EXPECT_TRUE(one_by_one.done());

  ConstrainedPolicy kept(PolicyChoice("spo"), {.arms = 2, .horizon = 12}, {.units_per_round = 4});
  kept.next_round();
  kept.cancel(1);
  EXPECT_EQ(kept.next_round().size(), 5U);

  ConstrainedPolicy lapsing(PolicyChoice("spo"), {.arms = 2, .horizon = 12},
                            {.units_per_round = 4, .units_lapse = true});
  lapsing.next_round();
  lapsing.cancel(1);
  EXPECT_EQ(lapsing.next_round().size(), 4U);
}

}  // namespace
}  // namespace longrun
