// The next round of a plan is that of a recommendation for the same question.
#include <gtest/gtest.h>

#include <algorithm>
#include <initializer_list>
#include <random>
#include <string>
#include <vector>

#include "longrun/base/input_error.h"
#include "longrun/decide/advice/recommendation.h"
#include "longrun/simulate/plan/plan.h"
#include "longrun/simulate/plan/plan_text.h"
#include "tests/flat_question.h"
#include "tests/long_tests.h"

namespace longrun {
namespace {

TEST(PlannedRound, IsTheRecommendedOne) {
  for (const Pulls units : {1, 7}) {
    Question question = flat_question({0.3, 0.5, 0.45, 0.1}, 10, 100, 0.2);
    question.constraints.units_per_round = units;
    question.constraints.minimum_pulls.named[3] = 12;
    const Recommendation recommended = recommend(question);
    const Plan answer = plan({.question = question, .futures = 100});
    std::vector<double> pulls(4, 0);
    for (const NextPulls& next : recommended.next.arms)
      pulls[static_cast<std::size_t>(next.arm)] = static_cast<double>(next.pulls());
    for (std::size_t arm = 0; arm < 4; ++arm) {
      EXPECT_TRUE(answer.arms[arm].next_round.is_certain());
      EXPECT_EQ(answer.arms[arm].next_round.mean, pulls[arm]);
    }
  }
}

/// Returns a random question with pending rewards, costs with decimals, rounds, minima and unavailable arms.
Question constrained_question(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const auto one_of = [&](std::initializer_list<Pulls> values) { return values.begin()[random() % values.size()]; };
  const auto arms = static_cast<std::size_t>(2 + random() % 4);
  Question question{.history = {.arm_names = std::vector<std::string>(arms), .pulls = {}},
                    .constraints = Constraints::with_decimals(1)};
  Constraints& constraints = question.constraints;
  constraints.units_per_round = 10 * one_of({1, 1, 5, 40});
  for (std::size_t arm = 0; arm < arms; ++arm) {
    if (random() % 2 == 0) constraints.costs.named[static_cast<Arm>(arm)] = one_of({10, 15, 25, 30});
  }
  Pulls spent = 0;
  const Pulls pulls = one_of({8, 20, 60});
  for (Pulls pull = 0; pull < pulls; ++pull) {
    const auto arm = static_cast<Arm>(random() % arms);
    question.history.pulls.push_back({.arm = arm, .reward = static_cast<double>(random() % 2)});
    if (seed % 3 != 0 && pull + 4 > pulls) question.history.pulls.back().reward.reset();
    spent += constraints.costs.at(arm);
  }
  question.horizon = spent + one_of({10, 15, 30, 400});
  const Pulls round = spent / constraints.units_per_round + 1;
  if (seed % 4 == 1) constraints.unavailable[0] = {{round, round + one_of({0, 2})}};
  if (seed % 5 < 2) question.unavailable_now = {static_cast<Arm>(arms - 1)};
  if (seed % 5 == 2) {
    for (std::size_t arm = 0; arm < arms; ++arm) question.unavailable_now.push_back(static_cast<Arm>(arm));
  }
  if (seed % 6 == 0) constraints.minimum_share.every = 0.05;
  return question;
}

TEST(PlannedRound, IsTheRecommendedOneUnderAnyConstraints) {
  int compared = 0;
  int nothing_now = 0;
  for (std::uint64_t seed = 0; seed < 300 / sanitizer_slowdown(); ++seed) {
    const Question question = constrained_question(seed);
    Recommendation advice;
    try {
      advice = recommend(question);
    } catch (const InputError&) {  // constraints that cannot be met
      continue;
    }
    const Plan answer = plan({.question = question, .futures = kFewestFutures});
    std::vector<double> pulls(answer.arms.size());
    for (const NextPulls& next : advice.next.arms)
      pulls[static_cast<std::size_t>(next.arm)] = static_cast<double>(next.pulls());
    for (std::size_t arm = 0; arm < pulls.size(); ++arm) {
      EXPECT_TRUE(answer.arms[arm].next_round.is_certain()) << seed;
      EXPECT_EQ(answer.arms[arm].next_round.mean, pulls[arm]) << seed << ", arm " << arm;
    }
    EXPECT_EQ(answer.obstacle, advice.next.obstacle) << seed;
    ++compared;
    if (answer.obstacle == PullObstacle::none) continue;
    ++nothing_now;
    const std::string first = what_is_earned({.question = question}, answer)[0];
    EXPECT_TRUE(first.starts_with("No arm can be pulled ") || first == "No pulls remain.") << first;
  }
  EXPECT_GT(compared, 200 / sanitizer_slowdown());
  EXPECT_GT(nothing_now, 20 / sanitizer_slowdown());
}

TEST(PlannedRound, CountsPullsAsRecommendDoes) {
  Question question = flat_question({0.3, 0.6, 0.5}, 20, 100, 0.1);
  for (const std::size_t pull : {15U, 38U, 39U, 59U}) question.history.pulls[pull].reward.reset();
  const Plan planned = plan({.question = question, .futures = 100});
  const Recommendation recommended = recommend(question);
  EXPECT_EQ(planned.made, 60);
  EXPECT_EQ(planned.made, recommended.made);
  EXPECT_EQ(planned.pending, 4);
  EXPECT_EQ(planned.pending, recommended.pending);
  for (std::size_t arm = 0; arm < 3; ++arm) {
    EXPECT_EQ(planned.arms[arm].made, recommended.arms[arm].pulls);
    EXPECT_EQ(planned.arms[arm].pending, recommended.arms[arm].pending);
  }
  const std::string pending = "4 of 60 pulls are pending: they are made, and their rewards are not known yet.";
  const std::vector<std::string> notes = plan_notes({.question = question}, planned);
  EXPECT_NE(std::find(notes.begin(), notes.end(), pending), notes.end());
  question.history.pulls[15].lost = true;
  const std::vector<std::string> of_lost = plan_notes({.question = question}, planned);
  EXPECT_EQ(of_lost.back(), "1 of 60 pulls is lost: it counts as a pull of its arm without a reward.");
}

}  // namespace
}  // namespace longrun
