#include "longrun/simulate/plan/simple_choices.h"

#include <gtest/gtest.h>

#include "longrun/decide/constrained_policy.h"

namespace longrun {
namespace {

TEST(SimpleChoices, AnEqualSplitChoosesAllArmsEquallyOften) {
  const auto policy = make_equal_split(3);
  std::vector<Pulls> chosen(3, 0);
  for (int choice = 0; choice < 31; ++choice) {
    const Arm arm = policy->choose();
    ++chosen[static_cast<std::size_t>(arm)];
    policy->observe(arm, 0.5);
  }
  EXPECT_EQ(chosen, (std::vector<Pulls>{11, 10, 10}));
}

TEST(SimpleChoices, AnEqualSplitMakesUpForRestrictedChoices) {
  const auto policy = make_equal_split(2);
  const std::vector<Arm> only_first{0};
  for (int choice = 0; choice < 5; ++choice) EXPECT_EQ(policy->choose({.arms = only_first}), 0);
  for (int choice = 0; choice < 5; ++choice) EXPECT_EQ(policy->choose(), 1);
  policy->cancel(1);
  EXPECT_EQ(policy->choose(), 1);
  EXPECT_EQ(policy->pending(1), 5);
}

TEST(SimpleChoices, AFixedChoiceIsTheFirstAllowedArm) {
  const auto policy = make_fixed_choice({2, 0, 1});
  for (int choice = 0; choice < 3; ++choice) EXPECT_EQ(policy->choose(), 2);
  const std::vector<Arm> others{0, 1};
  EXPECT_EQ(policy->choose({.arms = others}), 0);
  EXPECT_EQ(policy->choose(), 2);
}

TEST(SimpleChoices, ACopyAndALoadedPolicyContinueAsTheFirst) {
  const auto policy = make_equal_split(3);
  policy->observe(policy->choose(), 1);
  Writer writer;
  policy->save(writer);
  const auto copy = policy->clone();
  const auto loaded = make_equal_split(3);
  Reader reader(writer.bytes());
  loaded->load(reader);
  for (int choice = 0; choice < 5; ++choice) {
    const Arm arm = policy->choose();
    EXPECT_EQ(copy->choose(), arm);
    EXPECT_EQ(loaded->choose(), arm);
  }
}

TEST(SimpleChoices, AnAddedArmIsChosenAsTheOthersOrLast) {
  const auto split = make_equal_split(2);
  for (int choice = 0; choice < 4; ++choice) split->choose();
  split->add_arm();
  std::vector<Pulls> chosen(3, 0);
  for (int choice = 0; choice < 6; ++choice) ++chosen[static_cast<std::size_t>(split->choose())];
  EXPECT_EQ(chosen, (std::vector<Pulls>{2, 2, 2}));
  const auto fixed = make_fixed_choice({1, 0});
  fixed->add_arm();
  const std::vector<Arm> without_first{0, 2};
  EXPECT_EQ(fixed->choose({.arms = without_first}), 0);
}

TEST(SimpleChoices, ConstraintsHoldForThemInTheStateOfTheOtherPolicy) {
  const Constraints constraints{.minimum_pulls = {.every = 4}};
  ConstrainedPolicy other(PolicyChoice("greedy"), {.arms = 3, .horizon = 20}, constraints);
  for (const Arm arm : {0, 0, 1}) other.add(arm, 0.5);
  ConstrainedPolicy state = other.with_policy(make_fixed_choice({2, 1, 0}));
  while (!state.done()) {
    for (const Arm arm : state.next_round()) state.observe(arm, 0.5);
  }
  EXPECT_EQ(state.issued(0), 4);
  EXPECT_EQ(state.issued(1), 4);
  EXPECT_EQ(state.issued(2), 12);
  EXPECT_EQ(other.issued(2), 0);
}

}  // namespace
}  // namespace longrun
