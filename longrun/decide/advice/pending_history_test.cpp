// Recommendations for histories with pending rewards, and for budgets with decimals.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "longrun/decide/advice/explanation.h"
#include "longrun/decide/advice/recommendation.h"
#include "longrun/decide/live_policy.h"
#include "tests/error_of.h"
#include "tests/long_tests.h"

namespace longrun {
namespace {

/// Returns a question about three arms. Every third or so reward is pending.
Question question_with_pending(unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<double> noise(0, 0.1);
  Question question{.history = {.arm_names = {"a", "b", "c"}, .pulls = {}}, .horizon = 200, .noise = Gaussian{0.1}};
  const auto pulls = static_cast<int>(random() % 60);
  for (int pull = 0; pull < pulls; ++pull) {
    const auto arm = static_cast<Arm>(random() % 3);
    question.history.pulls.push_back({.arm = arm, .reward = 0.3 + 0.2 * arm + noise(random)});
    if (random() % 3 == 0) question.history.pulls.back().reward.reset();
  }
  return question;
}

TEST(PendingHistory, IsDecidedAsByAPolicyWhosePullsArePending) {
  for (unsigned seed = 1; seed <= 60 / sanitizer_slowdown(); ++seed) {
    Question question = question_with_pending(seed);
    for (const char* policy : {"foresight", "spo", "ucb", "sw-ucb"}) {
      question.policy = policy;
      const auto by_hand = make_policy(PolicyChoice(policy), {.arms = 3, .horizon = 200, .noise = Gaussian{0.1}});
      for (const PastPull& pull : question.history.pulls) {
        pull.reward ? by_hand->add(pull.arm, *pull.reward) : by_hand->adopt(pull.arm);
      }
      EXPECT_EQ(recommend(question).next.first, by_hand->choose()) << policy << " " << seed;
    }
  }
}

TEST(PendingHistory, CountsInTheBudgetAndAsPullsOfItsArm) {
  Question question{.history = {.arm_names = {"a", "b"},
                                .pulls = {{0, 0.5}, {1, 0.4}, {0, 0.5}, {1, std::nullopt}, {1, std::nullopt}}},
                    .horizon = 8};
  const Recommendation answer = recommend(question);
  EXPECT_EQ(answer.made, 5);
  EXPECT_EQ(answer.pending, 2);
  EXPECT_EQ(answer.remaining, 3);
  EXPECT_EQ(answer.arms[0].pulls, 2);
  EXPECT_EQ(answer.arms[1].pulls, 3);
  EXPECT_EQ(answer.arms[1].upper_bound.front().pull, 4) << "the next pull comes after the pending ones";
  EXPECT_EQ(answer.arms[1].reward_now->pulls, 1) << "only known rewards";
  question.horizon = 4;
  EXPECT_EQ(error_of([&] { recommend(question); }),
            "horizon 4: the history already takes 5 pulls; the horizon includes them");
}

TEST(PendingHistory, LostRewardsAreStated) {
  Question question{
      .history = {.arm_names = {"a", "b"}, .pulls = {{0, 0.5}, {1, 0.4}, {0, 0.5}, {1, std::nullopt}, {1, 0.2}}},
      .horizon = 8};
  EXPECT_EQ(lost_sentence(question.history, recommend(question).made), "") << "pending ones are not lost";
  question.history.pulls[3].lost = true;
  EXPECT_EQ(lost_sentence(question.history, recommend(question).made),
            "1 of 5 pulls is lost: it counts as a pull of its arm without a reward.");
  question.history.pulls[2] = {.arm = 0, .reward = std::nullopt, .lost = true};
  EXPECT_EQ(lost_sentence(question.history, recommend(question).made),
            "2 of 5 pulls are lost: they count as pulls of their arms without a reward.");
}

TEST(PendingHistory, WithoutAnyRewardNothingIsObserved) {
  Question question{.history = {.arm_names = {"a", "b"}, .pulls = {{0, std::nullopt}}}, .horizon = 8};
  const Recommendation answer = recommend(question);
  EXPECT_EQ(answer.next.first, 1) << "the arm that is not pending";
  EXPECT_EQ(why(question, answer).front(), "No rewards have been observed yet.");
}

TEST(PendingHistory, TheBoundAndTheExpectedRewardsBeginAfterThePendingPulls) {
  Question question{.history = {.arm_names = {"a"}, .pulls = {}}, .horizon = 25, .noise = NoNoise{}};
  for (int pull = 1; pull <= 3; ++pull) question.history.pulls.push_back({0, 0.02 * pull});
  question.history.pulls.push_back({0, std::nullopt});
  question.history.pulls.push_back({0, std::nullopt});
  const ArmReport arm = recommend(question).arms[0];
  EXPECT_EQ(arm.upper_bound.front().pull, 6);
  EXPECT_NEAR(arm.upper_bound.front().reward, 0.12, 1e-9) << "a line goes on";
  double line = 0;
  for (int pull = 6; pull <= 25; ++pull) line += 0.02 * pull;
  EXPECT_NEAR(arm.upper_bound_total, line, 1e-9);
  EXPECT_EQ(arm.expected_course.front().pull, 6);
}

TEST(PendingHistory, TheReasonIsTrueOfTheIndices) {
  // Indices count pending pulls as the policy does, so the chosen arm has the largest.
  for (std::uint64_t seed = 0; seed < 150; ++seed) {
    std::mt19937_64 random(seed);
    Question question{.history = {.arm_names = {"a", "b", "c"}, .pulls = {}}, .horizon = 200};
    for (int pull = 0; pull < 30; ++pull) {
      const auto arm = static_cast<Arm>(random() % 3);
      const double reward = 0.4 + 0.1 * arm + std::normal_distribution<double>(0, 0.1)(random);
      question.history.pulls.push_back({arm, reward});
      if (random() % 4 == 0) question.history.pulls.back().reward = std::nullopt;
    }
    const Recommendation answer = recommend(question);
    double largest = 0;
    for (const ArmReport& arm : answer.arms) largest = std::max(largest, arm.index);
    const std::string reason = why(question, answer).front();
    EXPECT_NE(reason.find(" has the largest index"), std::string::npos) << reason;
    EXPECT_EQ(answer.arms[static_cast<std::size_t>(answer.next.first)].index, largest) << seed;
    EXPECT_EQ(answer.index_pulls, 200 - 30) << "pending pulls are made";
    for (const ArmReport& arm : answer.arms) {
      if (arm.pending == 0) continue;
      const auto number = static_cast<double>(&arm - answer.arms.data());
      EXPECT_NEAR(arm.pending_counted_as, 0.4 + 0.1 * number, 0.4) << "about what it has paid";
    }
  }
}

TEST(PendingHistory, CountsAsTheNewestRewards) {
  // 94 rewards: the largest complete window of 2^k rewards ends 30 rewards ago, before the arm fell.
  for (const double now : {0.5, 0.75}) {
    Question question{.history = {.arm_names = {"a", "b"}, .pulls = {}}, .horizon = 500, .noise = Gaussian{0.1}};
    for (int pull = 0; pull < 94; ++pull) question.history.pulls.push_back({0, pull < 64 ? 0.8 : now});
    question.history.pulls.push_back({1, 0.5});
    question.history.pulls.push_back({0, std::nullopt});
    const double all = (64 * 0.8 + 30 * now) / 94;
    EXPECT_NEAR(recommend(question).arms[0].pending_counted_as, now == 0.5 ? now : all, 0.03);
  }
}

TEST(PendingHistory, WhatWouldChangeTheChoiceIsTrueWhilePullsArePending) {
  int borders = 0;
  for (unsigned seed = 1; seed <= 40 / sanitizer_slowdown(); ++seed) {
    const Question question = question_with_pending(seed);
    const Recommendation answer = recommend(question);
    if (!answer.what_if) continue;
    const auto& [arm, pulls, consequences] = *answer.what_if;
    for (std::size_t i = 0; i < consequences.size(); ++i) {
      for (const double reward : {consequences[i].from + 1e-4, consequences[i].to - 1e-4}) {
        Question later = question;
        for (Pulls pull = 0; pull < pulls; ++pull) later.history.pulls.push_back({.arm = arm, .reward = reward});
        EXPECT_EQ(recommend(later).next.first, consequences[i].arm) << seed << ", " << reward;
      }
      borders += i > 0 ? 1 : 0;
    }
  }
  EXPECT_GT(borders, 10 / sanitizer_slowdown());
}

TEST(PendingHistory, FillsRounds) {
  Question question{.history = {.arm_names = {"a", "b"}, .pulls = {{0, 0.5}, {1, 0.4}, {0, std::nullopt}}},
                    .horizon = 40,
                    .constraints = {.units_per_round = 4, .minimum_pulls = {.named = {{1, 2}}}}};
  Recommendation answer = recommend(question);
  EXPECT_EQ(answer.next.number, 1);
  EXPECT_EQ(answer.next.pulls(), 1) << "the rest of the round";
  EXPECT_EQ(answer.next.first_cause, PullCause::minimum);
  question.history.pulls.push_back({1, std::nullopt});
  answer = recommend(question);
  EXPECT_EQ(answer.next.number, 2);
  EXPECT_EQ(answer.next.pulls(), 4);
  EXPECT_EQ(answer.next.first_cause, PullCause::choice) << "the pending pull meets the minimum";
}

Question question_with_costs(const std::string& costs, const std::string& per_round, int decimals, Pulls horizon) {
  Question question = question_with_pending(7);
  question.horizon = horizon;
  question.constraints = Constraints::with_decimals(decimals);
  set_constraint(question.constraints, "costs", costs);
  set_constraint(question.constraints, "units_per_round", per_round);
  return question;
}

TEST(PendingHistory, WarnsWhereOnlyOneKindOfRewardIsKnown) {
  // 2 of 3 loans are repaid. Of the last 30 of each arm those that fail are pending, or every third.
  Question question{.history = {.arm_names = {"late failures", "late"}, .pulls = {}}, .horizon = 400};
  for (int pull = 0; pull < 120; ++pull) {
    const double reward = pull % 3 == 0 ? 0 : 1;
    const bool is_late = pull >= 90;
    const auto known = [&](bool pending) { return pending ? std::nullopt : std::optional(reward); };
    question.history.pulls.push_back({.arm = 0, .reward = known(is_late && reward == 0), .line = 2 * pull + 2});
    question.history.pulls.push_back({.arm = 1, .reward = known(is_late && pull % 4 == 0), .line = 2 * pull + 3});
  }
  const auto says = [&](const Question& asked, const std::string& text) {
    const std::vector<std::string> said = cautions(asked, recommend(asked));
    return std::count_if(said.begin(), said.end(),
                         [&](const std::string& each) { return each.find(text) != std::string::npos; });
  };
  EXPECT_EQ(says(question, "first pending pull"), 1);
  EXPECT_EQ(says(question,
                 "Since the first pending pull of arm 'late failures' (line 182), all 20 known rewards of the arm are "
                 "1. If failures become known later than successes, its rate is overestimated."),
            1);
  for (PastPull& pull : question.history.pulls) {
    if (pull.reward) pull.reward = 1 - *pull.reward;
  }
  EXPECT_EQ(says(question, "are 0. If successes become known later than failures, its rate is underestimated."), 1);
  // Few rewards, and those that were always the same, are so by chance.
  question.history.pulls.resize(190);
  EXPECT_EQ(says(question, "first pending pull"), 0);
}

TEST(DecimalBudget, IsTheSameProblemInAnotherUnit) {
  const Recommendation decimals = recommend(question_with_costs("1.5,2.5,2", "7.5", 1, 2000));  // 200 units
  const Recommendation halves = recommend(question_with_costs("3,5,4", "15", 0, 400));
  EXPECT_EQ(decimals.remaining, halves.remaining);
  EXPECT_EQ(decimals.next, halves.next);
}

TEST(DecimalBudget, TenPullsOfATenthSpendOneUnit) {
  Question question{.history = {.arm_names = {"a"}, .pulls = std::vector<PastPull>(9, {0, 0.5})},
                    .horizon = 10,
                    .constraints = Constraints::with_decimals(1)};
  set_constraint(question.constraints, "costs", "0.1");
  EXPECT_EQ(recommend(question).remaining, 1);
  question.history.pulls.push_back({0, 0.5});
  EXPECT_EQ(recommend(question).remaining, 0);
  EXPECT_TRUE(recommend(question).next.arms.empty());
  question.history.pulls.push_back({0, 0.5});
  EXPECT_EQ(error_of([&] { recommend(question); }),
            "horizon 1: the history already takes 1.1 units; the horizon includes them");
}

TEST(DecimalBudget, IsShownUnscaled) {
  Question question{.history = {.arm_names = {"7", "x y"}, .pulls = {}}, .horizon = 1000, .noise = Gaussian{0.01}};
  question.constraints = Constraints::with_decimals(2);
  set_constraint(question.constraints, "costs", "0.25,0.3");
  for (int pull = 0; pull < 20; ++pull) question.history.pulls.push_back({pull % 2, 0.5 + 0.4 * (pull % 2)});
  const std::string reason = why(question, recommend(question)).front();
  EXPECT_NE(reason.find("at cost 0.3); next is arm 7 with"), std::string::npos) << reason;
  set_constraint(question.constraints, "minimum_pulls", "1:60");
  EXPECT_EQ(error_of([&] { recommend(question); }), "minimum_pulls: 18 units are needed, but the budget has only 10");
  set_constraint(question.constraints, "minimum_pulls", "1:1");
  set_constraint(question.constraints, "unavailable", "1:1-10");
  EXPECT_EQ(error_of([&] { recommend(question); }),
            "minimum_pulls: arm 'x y' needs 1 pull, but is available in none of the 10 rounds");
}

}  // namespace
}  // namespace longrun
