#include "longrun/simulate/plan_of_study.h"

#include <gtest/gtest.h>

#include "longrun/decide/study_log.h"
#include "longrun/simulate/plan.h"

namespace longrun {
namespace {

/// Returns a study of three arms that pay about 2, 5 and 8 on a scale from 0 to 10, after `pulls` decisions. Those that
/// are multiples of 10 are pending.
StudyLog planned_study(int pulls, bool some_pending) {
  StudyLog log(
      {.arms = {"a", "b", "c"}, .budget = 200, .scale = {.minimum = 0, .maximum = 10}, .noise = Gaussian{0.05}});
  for (int pull = 1; pull <= pulls; ++pull) {
    const Decision decision = std::get<Decided>(*log.handle(Decide{})).decisions[0];
    if (some_pending && pull % 10 == 0) continue;
    log.handle(Report{decision.id, Outcome::observed(2 + 3 * decision.arm + 0.2 * (pull % 5 - 2))});
  }
  return log;
}

StudyHistory history_of(const StudyLog& log) {
  return {log.study().initial_spec(), {log.events().begin(), log.events().end()}};
}

PlanQuestion plan_question_of(const StudyLog& log) {
  return {.question = question_of(history_of(log)), .study = history_of(log), .futures = 100};
}

TEST(PlanOfStudy, QuestionHasTheFinalOutcomesInTheOrderOfTheDecisions) {
  StudyLog log({.arms = {"a", "b"}, .budget = 100});
  const Decided decided = std::get<Decided>(*log.handle(Decide{.count = 5}));
  const auto& d = decided.decisions;
  log.handle(Report{d[3].id, Outcome::observed(0.4)});
  log.handle(Report{d[0].id, Outcome::observed(0.1)});
  log.handle(Report{d[1].id, Outcome::lost()});
  log.handle(Report{d[2].id, Outcome::voided()});
  log.handle(Correct{d[0].id, Outcome::observed(0.2)});
  log.handle(AddArm{"c"});
  log.handle(Observe{2, 0.9});
  log.handle(ExtendBudget{50});
  const Question question = question_of(history_of(log));
  EXPECT_EQ(question.history.pulls, (std::vector<PastPull>{{d[0].arm, 0.2}, {d[3].arm, 0.4}, {2, 0.9}}));
  EXPECT_EQ(question.history.arm_names, (std::vector<std::string>{"a", "b", "c"}));
  EXPECT_EQ(question.horizon, 150);
}

TEST(PlanOfStudy, WithoutPendingDecisionsIsThePlanOfItsHistory) {
  const StudyLog log = planned_study(60, false);
  const PlanQuestion of_study = plan_question_of(log);
  const PlanQuestion of_history{.question = of_study.question, .futures = 100};
  const Plan a = plan(of_study);
  const Plan b = plan(of_history);
  EXPECT_EQ(a.pending, 0);
  EXPECT_EQ(a.made, 60);
  ASSERT_EQ(a.courses.size(), b.courses.size());
  for (std::size_t course = 1; course < a.courses.size(); ++course) {
    EXPECT_EQ(a.courses[course].total.mean, b.courses[course].total.mean) << a.courses[course].name;
    EXPECT_EQ(a.courses[course].total.low, b.courses[course].total.low) << a.courses[course].name;
  }
  // A study that has decided has recomputed foresight's indices at other times than one that has only observed.
  EXPECT_NEAR(a.courses[0].total.mean, b.courses[0].total.mean, 0.001 * b.courses[0].total.mean);
}

TEST(PlanOfStudy, TheNextRoundIsTheNextDecisionWhilePullsArePending) {
  for (const int pulls : {20, 33, 61}) {
    StudyLog log = planned_study(pulls, true);
    const Plan answer = plan(plan_question_of(log));
    const Arm next = std::get<Decided>(*log.handle(Decide{})).decisions[0].arm;
    for (std::size_t arm = 0; arm < 3; ++arm) {
      EXPECT_EQ(answer.arms[arm].next_round.mean, static_cast<Arm>(arm) == next ? 1 : 0);
    }
  }
}

TEST(PlanOfStudy, PendingPullsAreSpentAndPartOfNoTotal) {
  const StudyLog log = planned_study(60, true);
  PlanQuestion asked = plan_question_of(log);
  Constraints minimum;
  minimum.minimum_pulls.every = 20;
  asked.compare.push_back({"minimum-pulls 20", minimum});
  const Plan answer = plan(asked);
  EXPECT_EQ(answer.pending, 6);
  EXPECT_EQ(answer.made, 54);
  EXPECT_EQ(answer.units_left, 140);
  ASSERT_EQ(answer.courses.size(), 5U);
  for (const Course& course : answer.courses) {
    EXPECT_EQ(course.pulls.low, 140) << course.name;
    EXPECT_EQ(course.pulls.high, 140) << course.name;
    EXPECT_EQ(course.unmet, 0) << course.name;
  }
  EXPECT_NEAR(answer.courses[1].total.mean, 140 * 5, 70);  // an equal split
}

TEST(PlanOfStudy, UnavailableArmsStayUnavailable) {
  StudyLog log = planned_study(60, false);
  log.handle(SetUnavailable{{2}});
  const Plan answer = plan(plan_question_of(log));
  EXPECT_EQ(answer.arms[2].rest.high, 0);
  EXPECT_EQ(answer.courses[0].pulls.low, 140);
}

}  // namespace
}  // namespace longrun
