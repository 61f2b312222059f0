#include "longrun/simulate/plan/plan_of_study.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "longrun/decide/advice/recommendation.h"
#include "longrun/decide/advice/standing.h"
#include "longrun/decide/study/study_log.h"
#include "longrun/simulate/plan/plan.h"

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
  const PastPull lost{.arm = d[1].arm, .reward = std::nullopt, .lost = true};
  EXPECT_EQ(question.history.pulls, (std::vector<PastPull>{{d[0].arm, 0.2}, lost, {d[3].arm, 0.4}, {2, 0.9}}));
  EXPECT_EQ(question.history.arm_names, (std::vector<std::string>{"a", "b", "c"}));
  EXPECT_EQ(question.horizon, 150);
}

TEST(PlanOfStudy, AnOverspentStudyHasNothingLeft) {
  StudyLog log({.arms = {"a", "b"}, .budget = 3, .noise = Gaussian{0.1}});
  const Decided decided = std::get<Decided>(*log.handle(Decide{.count = 3}));
  for (const Decision& decision : decided.decisions) log.handle(Report{decision.id, Outcome::observed(0.5)});
  log.handle(Correct{decided.decisions[2].id, Outcome::voided()});
  const Decided again = std::get<Decided>(*log.handle(Decide{}));
  log.handle(Report{again.decisions[0].id, Outcome::observed(0.4)});
  log.handle(Correct{decided.decisions[2].id, Outcome::observed(0.5)});  // it was made after all
  ASSERT_EQ(log.study().spent(), 4);
  const Question question = question_of(history_of(log), PendingPulls::included);
  EXPECT_EQ(question.horizon, 4);
  EXPECT_TRUE(recommend(question, log.study()).next.arms.empty());
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
  EXPECT_EQ(answer.made, 60) << "pending pulls are made";
  Pulls pending = 0;
  for (const PlannedArm& arm : answer.arms) pending += arm.pending;
  EXPECT_EQ(pending, 6);
  EXPECT_EQ(answer.units_left, 140);
  ASSERT_EQ(answer.courses.size(), 5U);
  for (const Course& course : answer.courses) {
    EXPECT_EQ(course.pulls.low, 140) << course.name;
    EXPECT_EQ(course.pulls.high, 140) << course.name;
    EXPECT_EQ(course.unmet, 0) << course.name;
  }
  EXPECT_NEAR(answer.courses[1].total.mean, 140 * 5, 70);  // an equal split
}

/// Returns a study of one arm that pays 0.2 + 0.5 (1 - e^(-m/100)) at its pull m, with little noise, after 120 pulls.
/// Every pull whose number satisfies `is_lost` is lost.
template <class IsLost>
StudyLog growing_study(IsLost is_lost) {
  StudyLog log({.arms = {"a"}, .budget = 240, .noise = Gaussian{0.02}});
  for (int pull = 1; pull <= 120; ++pull) {
    const Decision decision = std::get<Decided>(*log.handle(Decide{})).decisions[0];
    const double mean = 0.2 + 0.5 * (1 - std::exp(-pull / 100.0));
    log.handle(
        Report{decision.id, is_lost(pull) ? Outcome::lost() : Outcome::observed(mean + 0.02 * std::sin(5 * pull))});
  }
  return log;
}

TEST(PlanOfStudy, LostPullsMoveAnArmOnAlongItsCurve) {
  double truth = 0;  // of the remaining 120 pulls
  for (int pull = 121; pull <= 240; ++pull) truth += 0.2 + 0.5 * (1 - std::exp(-pull / 100.0));
  for (const bool at_end : {false, true}) {
    const StudyLog log = growing_study([&](int pull) { return at_end ? pull > 60 : pull % 2 == 1; });
    PlanQuestion asked = plan_question_of(log);
    asked.futures = 1000;
    const Plan answer = plan(asked);
    EXPECT_EQ(answer.made, 120);
    EXPECT_EQ(answer.courses[0].pulls.low, 120);
    // The same rewards, if lost pulls had not been made and as many pulls remained.
    PlanQuestion without{.question = asked.question, .futures = 1000};
    std::erase_if(without.question.history.pulls, [](const PastPull& pull) { return pull.lost; });
    without.question.horizon = 180;
    const double other = plan(without).courses[0].total.mean;
    const double total = answer.courses[0].total.mean;
    EXPECT_LT(std::abs(total - truth), 6) << "at end: " << at_end << ", otherwise " << other;
    EXPECT_TRUE(at_end ? total > other : total < other) << total << " and " << other;
  }
}

TEST(PlanOfStudy, LostPullsAtTheEndAgeAnArmAsPendingOnesDo) {
  const StudyLog log = growing_study([](int pull) { return pull > 90; });
  const Question lost = question_of(history_of(log));
  Question pending = lost;
  for (PastPull& pull : pending.history.pulls) pull.lost = false;
  const ArmFutures a = standing_of(lost).reports.futures(0);
  const ArmFutures b = standing_of(pending).reports.futures(0);
  const ArmFutures before = standing_of(pending).reports.futures_with_pending(0);
  bool differs = false;
  for (int i = 0; i < 10; ++i) {
    const double u = 0.05 + 0.1 * i;
    const std::array<double, ArmFutures::kUniform> uniform{u, 0.3, 0.6, 0.2, 0.9, 0.5};
    EXPECT_EQ(a.draw(uniform).at(7), b.draw(uniform).at(7));
    differs = differs || a.draw(uniform).at(7) != before.draw(uniform).at(7);
  }
  EXPECT_TRUE(differs);
}

TEST(PlanOfStudy, UnavailableArmsStayUnavailable) {
  StudyLog log = planned_study(60, false);
  log.handle(SetUnavailable{{2}});
  const Plan answer = plan(plan_question_of(log));
  EXPECT_EQ(answer.arms[2].rest.high, 0);
  EXPECT_EQ(answer.courses[0].pulls.low, 140);
}

/// Returns the plan of the study with one comparison, whose course is the last one.
Plan plan_compared(const StudyLog& log, const Constraints& constraints) {
  PlanQuestion question = plan_question_of(log);
  question.compare = {{.name = "other", .constraints = constraints, .field = ""}};
  return plan(question);
}

TEST(PlanOfStudy, AnAddedArmCanHaveAConstraintThatIsCompared) {
  StudyLog log = planned_study(60, false);
  log.handle(AddArm{"d"});
  Constraints share;
  share.minimum_share.named[3] = 0.2;
  const Plan answer = plan_compared(log, share);
  EXPECT_EQ(answer.courses.back().name, "other");
  EXPECT_EQ(answer.courses.back().pulls.low, 140);
  const Study study = replayed(history_of(log), "foresight", share);
  EXPECT_EQ(study.spec().constraints, share);
  EXPECT_EQ(study.policy().least(3), 28) << "a fifth of the 140 units that are left";
}

TEST(PlanOfStudy, MinimumPullsThatNeedTheExtendedBudgetCanBeCompared) {
  StudyLog log = planned_study(60, false);
  log.handle(ExtendBudget{300});
  Constraints minimum;
  minimum.minimum_pulls.every = 150;
  const Plan answer = plan_compared(log, minimum);
  EXPECT_EQ(answer.courses.back().name, "other");
  EXPECT_EQ(replayed(history_of(log), "foresight", minimum).policy().least(0), 150);
}

}  // namespace
}  // namespace longrun
