#include "longrun/report/advice/recommendation_json.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <vector>

#include "longrun/decide/advice/recommendation.h"
#include "longrun/report/advice/plan_json.h"
#include "longrun/simulate/plan/plan.h"
#include "tests/long_tests.h"

namespace longrun {
namespace {

/// Returns a question with random pulls of 2 to 5 arms, some of them pending.
Question random_question(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const std::vector<std::string> names{"beta", "alpha", "Delta", "10", "9"};
  const auto arms = static_cast<std::size_t>(2 + random() % 4);
  const bool yes_or_no = seed % 2 == 0;
  const double highest = seed % 4 == 0 ? 0.05 : 1;
  std::uniform_real_distribution<double> uniform;
  std::normal_distribution<double> noise(0, 0.1);
  std::vector<double> from;
  std::vector<double> to;
  for (std::size_t arm = 0; arm < arms; ++arm) {
    from.push_back(highest * uniform(random));
    to.push_back(highest * uniform(random));
  }
  Question question{
      .history = {.arm_names = {names.begin(), names.begin() + static_cast<std::ptrdiff_t>(arms)}, .pulls = {}}};
  std::vector<double> made(arms);
  const auto pulls = 10 + random() % 300;
  for (std::size_t pull = 0; pull < pulls; ++pull) {
    const std::size_t arm = random() % arms;
    const double mean = to[arm] + (from[arm] - to[arm]) * std::exp(-made[arm]++ / 40);
    const double reward = yes_or_no ? (uniform(random) < mean ? 1.0 : 0.0) : mean + noise(random);
    question.history.pulls.push_back({.arm = static_cast<Arm>(arm), .reward = reward});
    if (pull + 5 > pulls && seed % 3 == 0) question.history.pulls.back().reward.reset();
  }
  question.horizon = static_cast<Pulls>(pulls + 1 + random() % 400);
  if (seed % 5 == 0) question.constraints.units_per_round = 7;
  if (seed % 7 == 0) question.constraints.minimum_share = {.every = 0.05};
  return question;
}

/// Returns the same pulls of each arm in the same order, and those of different arms in a random order.
History interleaved(const History& history, std::mt19937_64& random) {
  std::vector<std::vector<PastPull>> columns(history.arm_names.size());
  for (const PastPull& pull : history.pulls) columns[static_cast<std::size_t>(pull.arm)].push_back(pull);
  std::vector<std::size_t> order;
  for (std::size_t arm = 0; arm < columns.size(); ++arm) order.insert(order.end(), columns[arm].size(), arm);
  if (random() % 3 > 0) std::shuffle(order.begin(), order.end(), random);  // else sorted by arm
  History result{.arm_names = history.arm_names, .pulls = {}};
  std::vector<std::size_t> next(columns.size());
  for (const std::size_t arm : order) result.pulls.push_back(columns[arm][next[arm]++]);
  return result;
}

TEST(RecommendationJson, DoesNotDependOnTheOrderOfRowsBetweenArms) {
  std::mt19937_64 random(1);
  for (std::uint64_t seed = 0; seed < 150 / sanitizer_slowdown(); ++seed) {
    Question question = random_question(seed);
    const std::string answer = recommendation_json(question, recommend(question));
    for (int i = 0; i < 2; ++i) {
      question.history = interleaved(question.history, random);
      EXPECT_EQ(recommendation_json(question, recommend(question)), answer) << seed;
    }
  }
}

TEST(RecommendationJson, HasRewardsThatMayBeMistakes) {
  Question question{.history = {.arm_names = {"a", "b"}, .pulls = {}}, .horizon = 400};
  for (int pull = 0; pull < 30; ++pull) {
    question.history.pulls.push_back({0, 0.5 + 0.01 * (pull % 3)});
    question.history.pulls.push_back({1, pull == 29 ? 0.05 : 0.6 + 0.01 * (pull % 3), pull + 2});
  }
  const Recommendation answer = recommend(question);
  ASSERT_EQ(answer.doubtful.size(), 1U);
  const auto object = nlohmann::json::parse(recommendation_json(question, answer));
  EXPECT_TRUE(object["outliers"].empty());
  EXPECT_EQ(object["doubtful"], (nlohmann::json{{{"arm", 1},
                                                 {"name", "b"},
                                                 {"pull", 60},
                                                 {"line", 31},
                                                 {"reward", 0.05},
                                                 {"typical", answer.doubtful[0].typical}}}));
}

TEST(PlanJson, DoesNotDependOnTheOrderOfRowsBetweenArms) {
  std::mt19937_64 random(2);
  for (std::uint64_t seed = 0; seed < 12 / sanitizer_slowdown(); ++seed) {
    PlanQuestion asked{.question = random_question(seed), .futures = 100};
    const std::string answer = plan_json(asked, plan(asked));
    asked.question.history = interleaved(asked.question.history, random);
    EXPECT_EQ(plan_json(asked, plan(asked)), answer) << seed;
  }
}

}  // namespace
}  // namespace longrun
