#include "longrun/simulate/plan/plan.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

#include "longrun/base/cancellation.h"
#include "longrun/base/input_error.h"
#include "longrun/decide/advice/recommendation.h"
#include "longrun/decide/advice/standing.h"
#include "longrun/simulate/plan/future_world.h"
#include "longrun/simulate/plan/plan_text.h"
#include "tests/error_of.h"
#include "tests/flat_question.h"
#include "tests/long_tests.h"

namespace longrun {
namespace {

/// Returns the curve of an arm in a future.
FutureCurve drawn_curve(const PlanQuestion& asked, std::uint32_t future, Arm arm) {
  const StreamKey key{
      .seed = asked.seed, .replicate = future, .purpose = Purpose::future, .lane = static_cast<std::uint32_t>(arm)};
  std::array<double, ArmFutures::kUniform> uniform{};
  for (std::size_t i = 0; i < uniform.size(); ++i) uniform[i] = unit_interval(random_block(key, i / 2)[i % 2]);
  return standing_of(asked.question).reports.futures(arm).draw(uniform);
}

const Course& course_of_kind(const Plan& plan, CourseKind kind) {
  const auto found =
      std::find_if(plan.courses.begin(), plan.courses.end(), [&](const Course& c) { return c.kind == kind; });
  EXPECT_NE(found, plan.courses.end());
  return *found;
}

void expect_same(const FutureRange& a, const FutureRange& b) {
  EXPECT_EQ(a.mean, b.mean);
  EXPECT_EQ(a.low, b.low);
  EXPECT_EQ(a.high, b.high);
}

/// Returns a question about two arms that have always paid 0.8 and 0.2, but for noise that averages out: arm 1 has had
/// a tenth of the 4000 pulls, and 1000 remain.
PlanQuestion certain_question() {
  PlanQuestion asked{
      .question = {.history = {.arm_names = {"", ""}, .pulls = {}}, .horizon = 5000, .noise = Gaussian{0.01}},
      .futures = 400};
  for (int pull = 0; pull < 4000; ++pull) {
    const Arm arm = pull % 10 == 9 ? 1 : 0;
    const double noise = pull / 10 % 2 == (arm == 0 ? pull % 2 : 0) ? 0.01 : -0.01;
    asked.question.history.pulls.push_back({arm, (arm == 0 ? 0.8 : 0.2) + noise});
  }
  return asked;
}

TEST(Plan, PlaysTheNoiseOfEachArmInSpiteOfAnOutlier) {
  std::mt19937_64 random(1);
  std::normal_distribution<double> noise;
  PlanQuestion asked{.question = {.history = {.arm_names = {"quiet", "loud"}, .pulls = {}},
                                  .horizon = 300,
                                  .scale = {.minimum = 0, .maximum = 5}},
                     .futures = 100};
  for (int pull = 0; pull < 100; ++pull) {
    asked.question.history.pulls.push_back({0, 2.4 + 0.05 * noise(random)});
    asked.question.history.pulls.push_back({1, 2.5 + 0.5 * noise(random)});
  }
  EXPECT_EQ(plan(asked).arm_noise_sds.size(), 2U);
  asked.question.history.pulls[100].reward = 4.9;  // of 'quiet'
  EXPECT_EQ(plan(asked).arm_noise_sds.size(), 2U);
}

TEST(Plan, PriceOfAShareOnArmsWithCertainFuturesIsItsClosedForm) {
  PlanQuestion asked = certain_question();
  Constraints share;
  share.minimum_share.named[1] = 0.1;  // 100 of the remaining pulls
  asked.compare.push_back({"minimum-share 1:0.1", share});
  share.minimum_share.named[1] = 0.25;  // 1250 of all pulls, so 850 of the remaining ones
  asked.compare.push_back({"minimum-share 1:0.25", share});
  const Plan answer = plan(asked);
  ASSERT_EQ(answer.courses.size(), 6U);
  expect_same(answer.arms[1].rest, {0, 0, 0});
  EXPECT_NEAR(answer.courses[0].total.mean, 1000 * 0.8, 0.02 * 800);
  const std::vector<double> pulls{100, 850};
  for (std::size_t i = 0; i < pulls.size(); ++i) {
    const Course& course = answer.courses[4 + i];
    expect_same(course.arm_pulls[1], {pulls[i], pulls[i], pulls[i]});
    EXPECT_NEAR(course.loss.mean, pulls[i] * 0.6, 0.03 * pulls[i] * 0.6);
    EXPECT_EQ(course.worse_share, 1);
  }
}

TEST(Plan, AConstraintThatDoesNotBindCostsNothing) {
  PlanQuestion asked = certain_question();
  Constraints share;
  share.minimum_share.named[1] = 0.07;  // 350 of all 5000 pulls; it has had 400
  asked.compare.push_back({"minimum-share 1:0.07", share});
  const Plan answer = plan(asked);
  const Course& course = answer.courses.back();
  expect_same(course.loss, {0, 0, 0});
  EXPECT_EQ(course.worse_share, 0);
  EXPECT_EQ(course.better_share, 0);
  EXPECT_EQ(what_constraints_cost(asked, answer),
            std::vector<std::string>{"Minimum-share 1:0.07 costs nothing: the total is the same in every future."});
}

TEST(Plan, ThePriceOfAMinimumIsTheDifferenceOfTheCurves) {
  // The policy pulls arm 0 only. With the minimum, arm 1 has 850 of the pulls instead, in every future.
  PlanQuestion asked = certain_question();
  Constraints minimum;
  minimum.minimum_pulls.named[1] = 1250;
  asked.compare.push_back({"minimum-pulls 1:1250", minimum});
  constexpr std::uint32_t kFutures = sanitizer_slowdown() > 1 ? kFewestFutures : 400;
  asked.futures = kFutures;
  const Plan answer = plan(asked);
  double price = 0;
  for (std::uint32_t future = 0; future < kFutures; ++future) {
    const FutureCurve good = drawn_curve(asked, future, 0);
    const FutureCurve bad = drawn_curve(asked, future, 1);
    for (int pull = 151; pull <= 1000; ++pull) price += good.at(pull) - bad.at(pull - 150);
  }
  EXPECT_NEAR(answer.courses.back().loss.mean, price / kFutures, 1e-9 * price);
}

TEST(Plan, TheTotalOfAnEqualSplitIsTheSumOfItsCurves) {
  const PlanQuestion asked{.question = flat_question({0.3, 0.6, 0.5}, 20, 90, 0.2), .futures = 100, .seed = 3};
  const Plan answer = plan(asked);
  double sum = 0;
  for (std::uint32_t future = 0; future < 100; ++future) {
    for (Arm arm = 0; arm < 3; ++arm) {
      const FutureCurve curve = drawn_curve(asked, future, arm);
      for (int pull = 1; pull <= 30; ++pull) sum += curve.at(pull);
    }
  }
  const Course& split = course_of_kind(answer, CourseKind::equal_split);
  EXPECT_NEAR(split.total.mean, sum / 100, 1e-9);
  for (const FutureRange& pulls : split.arm_pulls) expect_same(pulls, {30, 30, 30});
}

TEST(Plan, CoursesDifferOnlyByTheirChoices) {
  // A course that makes the same choices has the same total in every future, noise included.
  PlanQuestion asked{.question = flat_question({0.3, 0.6}, 30, 200, 0.3), .futures = 100};
  asked.compare.push_back({"the same", asked.question.constraints});
  const Plan answer = plan(asked);
  expect_same(answer.courses.back().total, answer.courses.front().total);
  expect_same(answer.courses.back().loss, {0, 0, 0});
}

TEST(Plan, NumbersDoNotDependOnTheNumberOfThreads) {
  const PlanQuestion asked{.question = flat_question({0.3, 0.5, 0.5, 0.1}, 10, 300, 0.2), .futures = 150};
  const Plan one = plan(asked, {.threads = 1});
  const Plan five = plan(asked, {.threads = 5});
  ASSERT_EQ(one.courses.size(), five.courses.size());
  for (std::size_t course = 0; course < one.courses.size(); ++course) {
    expect_same(one.courses[course].total, five.courses[course].total);
    expect_same(one.courses[course].loss, five.courses[course].loss);
    for (std::size_t arm = 0; arm < 4; ++arm) {
      expect_same(one.courses[course].arm_pulls[arm], five.courses[course].arm_pulls[arm]);
    }
  }
}

TEST(Plan, OfManyEqualArmsExpectsAsShownAboutWhatTheyEarn) {
  LONGRUN_SKIP_COUNTS_UNDER_SANITIZERS();
  std::mt19937_64 random(4);
  constexpr int kLogs = 6;
  double as_shown = 0;
  for (int log = 0; log < kLogs; ++log) {
    // Twenty arms with a rate of 10 %: the best of twenty means is about twice that.
    PlanQuestion asked{
        .question = {.history = {.arm_names = std::vector<std::string>(20), .pulls = {}}, .horizon = 700},
        .futures = 100};
    for (int pull = 0; pull < 400; ++pull)
      asked.question.history.pulls.push_back({pull % 20, std::bernoulli_distribution(0.1)(random) ? 1.0 : 0.0});
    as_shown += *plan(asked).courses[0].total_as_shown / 30 / kLogs;
  }
  EXPECT_NEAR(as_shown, 1, 0.2);
}

TEST(Plan, SaysHowMuchRestsOnArmsThatTurnOutBetterThanTheirRewards) {
  // Four arms with a rate of 10 % that does not change: 80 of 800 pulls are successes, whatever is pulled.
  std::mt19937_64 random(3);
  PlanQuestion asked{.question = {.history = {.arm_names = {"a", "b", "c", "d"}, .pulls = {}}, .horizon = 1000},
                     .futures = 200};
  for (int pull = 0; pull < 200; ++pull) {
    asked.question.history.pulls.push_back({pull % 4, std::bernoulli_distribution(0.1)(random) ? 1.0 : 0.0});
  }
  Constraints share;
  share.minimum_share.every = 0.2;
  asked.compare.push_back({"minimum-share 0.2", share});
  const Plan answer = plan(asked);
  const Course& policy = answer.courses[0];
  EXPECT_GT(policy.total.mean, 1.5 * *policy.total_as_shown);
  EXPECT_LT(*policy.total_as_shown, 2 * 80);
  const auto about_growth = [&](const std::string& sentence) {
    return sentence.find("rest on arms that turn out better than their rewards so far: if every arm keeps paying") !=
           std::string::npos;
  };
  EXPECT_EQ(std::count_if(answer.cautions.begin(), answer.cautions.end(), about_growth), 1);
  for (const double below : {-1.0, 1.0}) {  // the number as shown is so much below the range
    Plan narrow = answer;
    narrow.courses[0].total.low = *policy.total_as_shown + below;
    EXPECT_EQ(shown_cautions(asked, narrow)
                  .at(0)
                  .ends_with("The range of the total does not contain that: it holds only "
                             "if some arms turn out so."),
              below > 0);
  }
  EXPECT_FALSE(course_of_kind(answer, CourseKind::equal_split).total_as_shown);
  const Course& shared = course_of_kind(answer, CourseKind::constrained);
  EXPECT_LT(*shared.loss_as_shown, shared.loss.mean);
  // Arms that are well known: their futures hold no growth that matters.
  const Plan certain = plan(certain_question());
  EXPECT_NEAR(*certain.courses[0].total_as_shown, certain.courses[0].total.mean, 8);
  EXPECT_TRUE(certain.cautions.empty());
}

TEST(Plan, WhatDoesNotRestOnLaterGrowthIsOnTheScale) {
  // No success yet: the first 200 futures may hold more growth than the mean of all.
  for (const RewardScale scale : {RewardScale{0, 1}, RewardScale{-1, 0}}) {
    PlanQuestion asked{.question = {.history = {.arm_names = {"a", "b"}, .pulls = {}}, .horizon = 800, .scale = scale},
                       .futures = 300};
    for (int pull = 0; pull < 200; ++pull) asked.question.history.pulls.push_back({pull % 2, scale.minimum});
    const Plan answer = plan(asked);
    const Course& policy = answer.courses[0];
    EXPECT_GE(*policy.total_as_shown, scale.minimum * policy.pulls.mean);
    EXPECT_LE(*policy.total_as_shown, scale.maximum * policy.pulls.mean);
    for (const std::string& caution : answer.cautions) {
      EXPECT_EQ(caution.find("-0.0"), std::string::npos) << caution;
      if (scale.minimum == 0) continue;
      EXPECT_EQ(caution.find("rest on arms"), std::string::npos)
          << "a sum of losses has no part that grows: " << caution;
    }
  }
}

TEST(Plan, CallsTheNoiseAnInitialValueAsRecommendDoes) {
  Question question{.history = {.arm_names = {"A", "B"}, .pulls = {{0, 0.5}, {1, 0.7}, {0, 0.4}, {1, 0.6}}},
                    .horizon = 20};
  const auto noise_note = [&] {
    const PlanQuestion asked{.question = question, .futures = kFewestFutures};
    const std::vector<std::string> notes = plan_notes(asked, plan(asked));
    return notes[notes.size() - 1];
  };
  EXPECT_FALSE(recommend(question).sd_of_rewards);
  EXPECT_NE(noise_note().find("an initial value until more rewards are observed."), std::string::npos) << noise_note();
  for (int pull = 0; pull < 10; ++pull) question.history.pulls.push_back({pull % 2, 0.5 + 0.01 * pull});
  EXPECT_TRUE(recommend(question).sd_of_rewards);
  EXPECT_NE(noise_note().find("estimated from the rewards."), std::string::npos) << noise_note();
}

TEST(Plan, PullsOfAllArmsAreTheRestOfTheBudget) {
  const Plan answer = plan({.question = flat_question({0.3, 0.5, 0.45}, 10, 100, 0.2), .futures = 100});
  EXPECT_EQ(answer.units_left, 100);
  for (const Course& course : answer.courses) {
    expect_same(course.pulls, {100, 100, 100});
    double sum = 0;
    for (const FutureRange& pulls : course.arm_pulls) sum += pulls.mean;
    EXPECT_NEAR(sum, 100, 1e-9);
  }
}

TEST(Plan, TotalsIncludeTheNoiseAndDifferencesDoNot) {
  // One arm: every course pulls it, so nothing differs, and the spread of the total is that of the noise.
  const double sd = 0.3;
  const Pulls remaining = 400;
  const PlanQuestion asked{.question = flat_question({0.5}, 20'000, remaining, sd), .futures = 2000};
  const Plan answer = plan(asked);
  const double width = answer.courses[0].total.high - answer.courses[0].total.low;
  EXPECT_NEAR(width, 2 * 1.2816 * sd * std::sqrt(remaining), 0.15 * width);
  for (const Course& course : answer.courses) expect_same(course.loss, {0, 0, 0});
}

TEST(Plan, AnotherScaleChangesTheUnitOnly) {
  const PlanQuestion unit{.question = flat_question({0.3, 0.6}, 20, 100, 0.1), .futures = 100};
  PlanQuestion scaled = unit;
  scaled.question.scale = {.minimum = -100, .maximum = 300};
  for (PastPull& pull : scaled.question.history.pulls) pull.reward = scaled.question.scale.from_unit(*pull.reward);
  const Plan in_unit = plan(unit);
  const Plan in_scale = plan(scaled);
  for (std::size_t course = 0; course < in_unit.courses.size(); ++course) {
    const FutureRange& total = in_unit.courses[course].total;
    EXPECT_NEAR(in_scale.courses[course].total.mean, -100 * 100 + 400 * total.mean, 1e-5);
    EXPECT_NEAR(in_scale.courses[course].total.high, -100 * 100 + 400 * total.high, 1e-5);
    EXPECT_NEAR(in_scale.courses[course].loss.mean, 400 * in_unit.courses[course].loss.mean, 1e-5);
  }
}

TEST(Plan, BestSoFarIsTheArmWhoseNewestRewardsAreLargest) {
  Question question = flat_question({0.9, 0.5}, 50, 100, 0.02);
  for (int pull = 0; pull < 150; ++pull) question.history.pulls.push_back({0, 0.1});  // it falls
  question.horizon += 150;
  const Course best = course_of_kind(plan({.question = question, .futures = 100}), CourseKind::best_so_far);
  EXPECT_EQ(best.name, "arm 1 only");
  expect_same(best.arm_pulls[1], {100, 100, 100});
}

TEST(Plan, ARandomizedPolicyDrawsOtherArmsInEveryFuture) {
  Question question = flat_question({0.5, 0.5}, 20, 50, 0.1);
  question.policy = "exp3";
  const Plan answer = plan({.question = question, .futures = 200});
  EXPECT_GT(answer.arms[0].next_round.mean, 0.2);
  EXPECT_LT(answer.arms[0].next_round.mean, 0.8);
}

TEST(Plan, ArmsThatAreUnavailableNowAreAvailableAfterTheNextRound) {
  Question question = flat_question({0.8, 0.2}, 500, 100, 0.05);
  question.unavailable_now = {0};
  const Plan answer = plan({.question = question, .futures = 100});
  expect_same(answer.arms[1].next_round, {1, 1, 1});
  EXPECT_GE(answer.arms[0].rest.low, 90);
  question.unavailable_now = {0, 1};
  const Plan none_now = plan({.question = question, .futures = 100});
  expect_same(none_now.courses[0].pulls, {100, 100, 100});
}

TEST(Plan, RewardsAtTheEndsOfTheScaleAreYesOrNo) {
  Question question{.history = {.arm_names = {"", ""}, .pulls = {{0, 2}, {1, 4}, {0, 4}}},
                    .horizon = 20,
                    .scale = {.minimum = 2, .maximum = 4}};
  EXPECT_TRUE(std::holds_alternative<Bernoulli>(future_noise(question, 0.1)));
  const Plan answer = plan({.question = question, .futures = 100});
  for (const Course& course : answer.courses) {
    EXPECT_EQ(course.total.low, 2 * std::round(course.total.low / 2));  // every reward is 2 or 4
    EXPECT_GE(course.total.low, 2 * 17);
    EXPECT_LE(course.total.high, 4 * 17);
  }
  question.history.pulls.push_back({0, 3});
  EXPECT_TRUE(std::holds_alternative<Gaussian>(future_noise(question, 0.1)));
  question.noise = NoNoise{};
  EXPECT_TRUE(std::holds_alternative<NoNoise>(future_noise(question, 0.1)));
}

TEST(Plan, EachArmHasItsOwnNoiseIfThatDiffersClearly) {
  std::mt19937_64 random(8);
  std::normal_distribution<double> normal;
  const auto question = [&](double quiet, double loud) {
    Question result{.history = {.arm_names = {"quiet", "loud"}, .pulls = {}}, .horizon = 201};
    for (int pull = 0; pull < 100; ++pull) {
      result.history.pulls.push_back({0, 0.6 + quiet * normal(random)});
      result.history.pulls.push_back({1, 0.3 + loud * normal(random)});
    }
    return result;
  };
  const Plan answer = plan({.question = question(0.02, 0.2), .futures = 400});
  ASSERT_EQ(answer.arm_noise_sds.size(), 2U);
  EXPECT_NEAR(answer.arm_noise_sds[0], 0.02, 0.005);
  EXPECT_NEAR(answer.arm_noise_sds[1], 0.2, 0.04);
  // One pull is left. Its reward varies as those of the arm did: 80 % of normal noise are within 1.28 sd.
  const FutureRange quiet = course_of_kind(answer, CourseKind::best_so_far).total;
  EXPECT_NEAR(quiet.high - quiet.low, 2 * 1.28 * 0.02, 0.03);
  EXPECT_TRUE(plan({.question = question(0.1, 0.1), .futures = 100}).arm_noise_sds.empty());
}

TEST(Plan, MinimumPullsThatCanNoLongerBeMadeAreReported) {
  PlanQuestion asked{.question = flat_question({0.8, 0.2}, 100, 50, 0.05), .futures = 100};
  Constraints minimum;
  minimum.minimum_pulls.named[1] = 180;  // 80 more than it has, with 50 pulls left
  asked.compare.push_back({"minimum-pulls 1:180", minimum});
  const Plan answer = plan(asked);
  EXPECT_EQ(answer.courses.back().unmet, 1);
  EXPECT_EQ(answer.courses.front().unmet, 0);
  EXPECT_EQ(what_is_not_met(answer),
            std::vector<std::string>{"minimum-pulls 1:180 is not met: in every future, an arm ends below its minimum "
                                     "pulls or share, because too few units are left for it."});
}

TEST(Plan, WithoutRemainingPullsNothingIsEarned) {
  const Plan answer = plan({.question = flat_question({0.8, 0.2}, 100, 0, 0.05), .futures = 100});
  expect_same(answer.courses[0].total, {0, 0, 0});
  EXPECT_EQ(what_is_earned({}, answer), std::vector<std::string>{"No pulls remain."});
}

TEST(Plan, WithoutAHistoryThereIsNoBestSoFar) {
  const Question question{.history = {.arm_names = {"", ""}, .pulls = {}}, .horizon = 30};
  const Plan answer = plan({.question = question, .futures = 100});
  EXPECT_EQ(answer.courses.size(), 3U);  // the policy, an equal split, greedy
  for (const Course& course : answer.courses) EXPECT_NE(course.kind, CourseKind::best_so_far);
}

TEST(Plan, GreedyIsNotComparedWithItself) {
  Question question = flat_question({0.8, 0.2}, 10, 10, 0.05);
  for (const char* policy : {"greedy", "greedy:floor=0.1"}) {
    question.policy = policy;
    const Plan answer = plan({.question = question, .futures = 100});
    for (const Course& course : answer.courses) EXPECT_NE(course.kind, CourseKind::greedy);
  }
}

TEST(Plan, NoOtherPlanHasMoreSimpleCourses) {
  PlanQuestion asked{.question = flat_question({0.8, 0.2}, 10, 10, 0.05), .futures = 100};
  EXPECT_EQ(plan(asked).courses.size(), kSimpleCourses);
  asked.compare = {{"no constraints", {}}, {"no constraints", {}}};
  EXPECT_EQ(plan(asked).courses.size(), kSimpleCourses + 2);
}

TEST(Plan, ErrorsSayWhatIsWrong) {
  PlanQuestion asked{.question = flat_question({0.8, 0.2}, 10, 10, 0.05), .futures = 99};
  EXPECT_EQ(error_of([&] { plan(asked); }), "futures: 99 is not in 100..1000000");
  asked.futures = 1'000'001;
  EXPECT_EQ(error_of([&] { plan(asked); }), "futures: 1000001 is not in 100..1000000");
  asked.futures = 100;
  Constraints share;
  share.minimum_share.every = 0.6;
  asked.compare.push_back({"minimum-share 0.6", share});
  EXPECT_EQ(error_of([&] { plan(asked); }),
            "comparison with minimum-share 0.6: minimum_share: the shares of all 2 arms add up to 1.2, more than 1");
  asked.compare.clear();
  asked.question.horizon = 15;
  EXPECT_EQ(error_of([&] { plan(asked); }),
            "horizon 15: the history already takes 20 pulls; the horizon includes them");
  asked.question.horizon = 30;
  asked.question.policy = "optimal";
  EXPECT_NE(error_of([&] { plan(asked); }), "no error");
  asked.question.policy = "foresight";
  asked.question.history.arm_names.resize(1000);
  asked.futures = 1'000'000;
  EXPECT_EQ(error_of([&] { plan(asked); }),
            "futures: 1000000 are too many for 1000 arms and 4 courses; at most 5000 are kept in memory");
}

TEST(Plan, AnErrorOfAComparisonSaysWhichOneAndWhichConstraints) {
  PlanQuestion asked{.question = flat_question({0.8, 0.2}, 10, 40, 0.05), .futures = 100};
  asked.question.constraints.minimum_pulls.every = 20;
  Constraints both = asked.question.constraints;
  both.minimum_share.named[0] = 0.7;
  asked.compare.push_back({"minimum-share 0:0.7", both});
  try {
    plan(asked);
    FAIL() << "is possible";
  } catch (const ComparisonError& error) {
    EXPECT_EQ(error.comparison(), "minimum-share 0:0.7");
    EXPECT_EQ(error.fields(), (std::vector<std::string>{"minimum_pulls", "minimum_share"}));
    EXPECT_EQ(error.what(), "comparison with minimum-share 0:0.7: minimum_pulls, minimum_share: " + error.problem());
  }
}

TEST(Plan, CanBeCancelledAndReportsProgress) {
  const PlanQuestion asked{.question = flat_question({0.8, 0.2}, 10, 100, 0.05), .futures = 200};
  std::vector<Pulls> reported;
  plan(asked, {.threads = 2, .on_progress = [&](Pulls done) { reported.push_back(done); }});
  std::vector<Pulls> expected(200);
  std::iota(expected.begin(), expected.end(), Pulls{1});
  EXPECT_EQ(reported, expected);
  std::atomic<bool> stop = false;
  const auto stop_soon = [&](Pulls done) { stop = done >= 10; };
  EXPECT_THROW(plan(asked, {.threads = 2, .stop = &stop, .on_progress = stop_soon}), Cancelled);
}

TEST(Plan, RefusesMorePullsThanCanBePlayed) {
  const auto message = [](Pulls horizon, Pulls futures) {
    try {
      PlanQuestion asked{.question = {.history = {.arm_names = {"", ""}, .pulls = {}}, .horizon = horizon}};
      asked.futures = futures;
      plan(asked, {.on_start = [](Pulls, std::size_t) { throw InputError("begins"); }});
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string("none");
  };
  // Without a history there are three courses.
  EXPECT_EQ(message(1'000'000'000, 1000),
            "1000000000 remaining pulls: too many for a plan with 3 courses; at most "
            "333333333, with 100 futures");
  EXPECT_EQ(message(100'000'000, 1000),
            "futures: 1000 are too many for 100000000 remaining pulls and 3 courses; at most 333");
  EXPECT_EQ(message(100'000'000, 333), "begins");
  EXPECT_EQ(message(333'333'333, 100), "begins");
}

TEST(Plan, AnIntervalIsThatOfTheQuantilesAlone) {
  PlanQuestion asked{.question = {.history = {.arm_names = {""}, .pulls = {{0, 0.2}, {0, 0.25}, {0, 0.28}}},
                                  .horizon = 203,
                                  .noise = NoNoise{}},
                     .futures = 200};
  const FutureRange total = plan(asked).courses[0].total;
  std::vector<double> totals;
  for (std::uint32_t future = 0; future < 200; ++future) {
    const FutureCurve curve = drawn_curve(asked, future, 0);
    double sum = 0;
    for (int k = 1; k <= 200; ++k) sum += curve.at(k);
    totals.push_back(sum);
  }
  std::sort(totals.begin(), totals.end());
  EXPECT_NEAR(total.low, totals[19], 1e-9);    // 19 of 200 are below it
  EXPECT_NEAR(total.high, totals[180], 1e-9);  // 19 are above it
  EXPECT_NEAR(total.mean, std::accumulate(totals.begin(), totals.end(), 0.0) / 200, 1e-9);
}

}  // namespace
}  // namespace longrun
