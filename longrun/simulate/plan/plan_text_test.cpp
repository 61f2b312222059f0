#include "longrun/simulate/plan/plan_text.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace longrun {
namespace {

/// Returns a plan of two courses with these numbers.
Plan made_plan(const Course& other) {
  return {
      .policy = "foresight",
      .futures = 1000,
      .made = 400,
      .units_left = 600,
      .arms = {},
      .courses = {{.name = "foresight", .total = {412, 380, 440}, .pulls = {600, 600, 600}, .arm_pulls = {}}, other}};
}

TEST(PlanText, SaysThatAMeanIsOutsideItsRange) {
  const auto says_so = [](const FutureRange& loss) {
    const std::vector<std::string> notes =
        plan_notes({}, made_plan({.name = "equal split", .arm_pulls = {}, .loss = loss}));
    return std::find(notes.begin(), notes.end(),
                     "A mean outside its range is due to a few futures far from the others.") != notes.end();
  };
  EXPECT_TRUE(says_so({3.6, 0, 0}));
  EXPECT_FALSE(says_so({3.6, 0, 7}));
  EXPECT_FALSE(says_so({0, 0, 0}));
}

TEST(PlanText, ShowsTheArmsOfTheNextRoundAndThoseWithMostPulls) {
  Plan answer = made_plan({.name = "equal split", .arm_pulls = {}});
  for (int arm = 0; arm < 30; ++arm) {
    answer.arms.push_back({.next_round = {}, .rest = {static_cast<double>(arm % 10), 0, 9}});
  }
  answer.arms[4].next_round = {2, 2, 2};
  answer.arms[21].next_round = {5, 5, 5};
  EXPECT_EQ(arms_in_table(answer, 6), (std::vector<Arm>{21, 4, 9, 19, 29, 8}));
  EXPECT_EQ(arms_in_table(answer, 30).size(), 30U);
  EXPECT_EQ(arms_in_table(answer, 30)[3], 3) << "all arms are in their order";
}

TEST(PlanText, AMeanOutsideItsRangeIsShownSo) {
  EXPECT_EQ(range_text({3.6, 0, 0}), "3.6 (0.0 to 0.0)");
  EXPECT_EQ(range_text({0.42, 0, 0.1}), "0.42 (0.00 to 0.10)");
}

TEST(PlanText, ShowsAsManyDigitsAsTheRangeNeeds) {
  EXPECT_EQ(range_text({412.3, 380.2, 440.1}), "412 (380 to 440)");
  EXPECT_EQ(range_text({4.123, 3.802, 4.4}), "4.12 (3.80 to 4.40)");
  EXPECT_EQ(range_text({6.2, -0.2, 21.9}), "6 (0 to 22)");
  EXPECT_EQ(range_text({12, 12, 12}), "12");
  EXPECT_EQ(range_text({0, 0, 0}), "0");
  EXPECT_EQ(range_text({123456.7, 123456.7, 123456.7}), "123457");
}

TEST(PlanText, SaysHowManyPullsTheRestOfTheBudgetPaysFor) {
  Plan answer = made_plan({.name = "equal split", .arm_pulls = {}});
  answer.courses[0].pulls = {402.22, 403, 403};
  EXPECT_TRUE(what_is_earned({}, answer)[0].starts_with(
      "Following foresight for the remaining 600 units, which pay for about 402 pulls, is expected to earn 412"))
      << what_is_earned({}, answer)[0];
  answer.courses[0].pulls = {350, 300, 400};
  EXPECT_TRUE(what_is_earned({}, answer)[0].starts_with(
      "Following foresight for the remaining 600 units, which pay for 350 (300 to 400) pulls, is expected to earn 412"))
      << what_is_earned({}, answer)[0];
}

TEST(PlanText, SaysWhatIsEarnedAndInHowManyFutures) {
  EXPECT_EQ(what_is_earned({}, made_plan({.kind = CourseKind::equal_split,
                                          .name = "equal split",
                                          .total = {350, 320, 381},
                                          .arm_pulls = {},
                                          .loss = {62, 40, 80},
                                          .worse_share = 0.97,
                                          .better_share = 0.03})),
            (std::vector<std::string>{
                "Following foresight for the remaining 600 pulls is expected to earn 412 (380 to 440).",
                "An equal split is expected to earn 350 (320 to 381); foresight earns 62 (40 to 80) more: more in 97 % "
                "of the futures, less in 3 %."}));
  const PlanQuestion asked{.question = {.history = {.arm_names = {"milk", "tea only"}, .pulls = {}}}};
  EXPECT_EQ(what_is_earned(asked, made_plan({.kind = CourseKind::best_so_far,
                                             .name = "arm 'tea only' only",
                                             .arm = 1,
                                             .total = {420, 390, 450},
                                             .arm_pulls = {},
                                             .loss = {-8, -20, 5},
                                             .worse_share = 0.2,
                                             .better_share = 0.8}))[1],
            "Staying with arm 'tea only' is expected to earn 420 (390 to 450); foresight earns 8 (-5 to 20) less: more "
            "in 20 % of the futures, less in 80 %.");
}

TEST(PlanText, GivesThePriceOfAConstraintInPercentWhereThatMeansSomething) {
  const Plan answer = made_plan({.kind = CourseKind::constrained,
                                 .name = "minimum-share 0.1",
                                 .field = "minimum_share",
                                 .total = {406, 375, 433},
                                 .arm_pulls = {},
                                 .loss = {5.4, 3.7, 7.4},
                                 .worse_share = 1});
  PlanQuestion asked;
  EXPECT_EQ(what_constraints_cost(asked, answer)[0],
            "Minimum-share 0.1 costs 5.4 (3.7 to 7.4): 1.31 % (0.90 % to 1.80 %) of the total.");
  asked.question.scale.minimum = -1;
  EXPECT_EQ(what_constraints_cost(asked, answer)[0], "Minimum-share 0.1 costs 5.4 (3.7 to 7.4).");
  Plan other_costs = answer;
  other_costs.courses[1].name = "costs 1";
  other_costs.courses[1].field = "costs";
  EXPECT_EQ(what_constraints_cost(asked, other_costs)[0], "The constraint 'costs 1' costs 5.4 (3.7 to 7.4).");
  Plan relaxed = answer;
  relaxed.courses[1].name = "no constraints";
  relaxed.courses[1].field.clear();
  relaxed.courses[1].loss = {-5.4, -7.4, -3.7};
  EXPECT_EQ(what_constraints_cost(asked, relaxed)[0], "With no constraints, foresight earns 5.4 (3.7 to 7.4) more.");
}

TEST(PlanText, SaysThatASimpleCourseIsBetter) {
  PlanQuestion asked;
  asked.question.history.arm_names = {"a"};
  Course only{.kind = CourseKind::best_so_far,
              .name = "arm 'a' only",
              .arm = 0,
              .arm_pulls = {},
              .loss = {-415, -670, -48},
              .worse_share = 0.06,
              .better_share = 0.94};
  EXPECT_EQ(better_course_caution(asked, made_plan(only)),
            "Staying with arm 'a' earns more than foresight in 94 % of the futures, 415 on average: follow it, not the "
            "policy.");
  only.loss = {-0.4, -0.4, -0.4};
  EXPECT_EQ(better_course_caution(asked, made_plan(only)),
            "Staying with arm 'a' earns more than foresight in 94 % of the futures, 0.4 on average: follow it, not the "
            "policy.");
  only.loss = {20, -670, 480};
  EXPECT_EQ(better_course_caution(asked, made_plan(only)), "") << "on average the policy earns more";
  only.loss = {-415, -670, -48};
  only.better_share = 0.7;
  EXPECT_EQ(better_course_caution(asked, made_plan(only)), "") << "in many futures the policy earns more";
  only.better_share = 0.94;
  only.kind = CourseKind::constrained;
  EXPECT_EQ(better_course_caution(asked, made_plan(only)), "") << "other constraints are no course to follow";
}

}  // namespace
}  // namespace longrun
