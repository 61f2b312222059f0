#include "longrun/decide/advice/expectation.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <random>

#include "longrun/decide/advice/explanation.h"
#include "longrun/decide/advice/standing.h"
#include "tests/long_tests.h"

namespace longrun {
namespace {

/// Returns `pulls` pulls of random arms: one that rises in a straight line to 0.7 after 500 pulls, one that stays at
/// 0.4, and one that rises to 0.6 and then falls. The noise has the standard deviation `sd`; 0 for yes/no rewards.
History rise_flat_hill(std::uint64_t seed, int pulls, double sd) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> noise(0, sd > 0 ? sd : 1);
  std::uniform_real_distribution<double> uniform(0, 1);
  History history{.arm_names = {"rise", "flat", "hill"}, .pulls = {}};
  std::vector<double> made(3, 0);
  for (int pull = 0; pull < pulls; ++pull) {
    const auto arm = static_cast<Arm>(random() % 3);
    const double n = made[static_cast<std::size_t>(arm)]++;
    const double mean = arm == 0   ? std::min(0.7, 0.1 + 0.6 * n / 500)
                        : arm == 1 ? 0.4
                                   : std::max(0.1, n < 100 ? 0.2 + 0.004 * n : 0.6 - 0.0015 * (n - 100));
    const double reward = sd > 0 ? mean + noise(random) : static_cast<double>(uniform(random) < mean);
    history.pulls.push_back({.arm = arm, .reward = reward});
  }
  return history;
}

std::string reasons(const Question& question, const Recommendation& answer) {
  return fmt::format("{}", fmt::join(why(question, answer), " "));
}

bool says(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

TEST(Expectation, WhereCostsDifferTheArmThatEarnsMoreWithTheRestOfTheBudgetIsNamed) {
  int named = 0;
  for (std::uint64_t seed = 0; seed < 40 / sanitizer_slowdown(); ++seed) {
    Question question{.history = rise_flat_hill(seed, 900, 0.1), .horizon = 150'050};
    question.constraints = Constraints::with_decimals(2);
    question.constraints.costs.named = {{0, 150}, {1, 75}};
    const Recommendation answer = recommend(question);
    const Standing standing = standing_of(question);
    std::vector<double> totals;  // by arm: pulls that its cost allows times the mean reward of possible futures
    for (Arm arm = 0; arm < 3; ++arm) {
      const Pulls pulls = answer.units_left / question.constraints.costs.at(arm);
      totals.push_back(static_cast<double>(pulls) *
                       expected_reward(standing.reports.futures(arm).spread(), pulls).mean);
    }
    const auto best = static_cast<Arm>(std::max_element(totals.begin(), totals.end()) - totals.begin());
    const Arm first = answer.next.first;
    ASSERT_EQ(answer.better, best == first ? std::nullopt : std::optional(best));
    const std::string text = reasons(question, answer);
    EXPECT_FALSE(says(text, "per pull, at cost 1.5) per")) << text;
    if (best == first) continue;
    ++named;
    EXPECT_TRUE(says(text, "arm 'flat' is expected to earn more in total: ")) << text;
    EXPECT_TRUE(says(text, fmt::format("{:.1f} with {} pulls, and arm 'rise' {:.1f} with", totals[1],
                                       answer.arms[1].remaining, totals[0])))
        << text;
    ASSERT_TRUE(answer.to_learn);
    // By drawing futures of the pulled arm at random.
    std::mt19937_64 random(seed);
    std::uniform_real_distribution<double> uniform(0, 1);
    const ArmFutures futures = standing.reports.futures(first);
    const Pulls pulls = answer.arms[static_cast<std::size_t>(first)].remaining;
    const double units = static_cast<double>(answer.units_left) / 100;
    double better = 0;
    double gains = 0;
    constexpr int kDraws = 4000;
    for (int draw = 0; draw < kDraws; ++draw) {
      std::array<double, ArmFutures::kUniform> numbers{};
      for (double& number : numbers) number = uniform(random);
      const double gain =
          static_cast<double>(pulls) * futures.draw(numbers).mean(pulls) - totals[static_cast<std::size_t>(best)];
      better += gain > 0 ? 1 : 0;
      gains += std::max(0.0, gain);
    }
    EXPECT_NEAR(answer.to_learn->probability, better / kDraws, 0.05);
    if (better > 0.02 * kDraws) {
      EXPECT_NEAR(answer.to_learn->gain, gains / better / units, 0.03);
    }
  }
  if (sanitizer_slowdown() == 1) {
    EXPECT_GT(named, 4);
  }
}

TEST(Expectation, AnIndexAboveItsUpperBoundIsExplainedByThePullsThatItCountsWith) {
  int above = 0;
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    Question question{.history = rise_flat_hill(seed, 900, 0.1), .horizon = 370'000};
    question.constraints = Constraints::with_decimals(2);
    question.constraints.costs.named = {{0, 900}, {1, 75}};
    const Recommendation answer = recommend(question);
    const ArmReport& rise = answer.arms[0];
    EXPECT_EQ(answer.index_pulls, answer.units_left / 75);
    EXPECT_EQ(rise.remaining, answer.units_left / 900);
    const std::string text = fmt::format("{}", fmt::join(meaning_of_indices(question, answer, {0}), " "));
    EXPECT_TRUE(says(text, fmt::format("Indices are those of {} further pulls", answer.index_pulls)));
    EXPECT_TRUE(says(text, fmt::format("it pays for {} of arm 'rise'", rise.remaining)));
    EXPECT_EQ(says(text, "above its upper bound"), rise.index > rise.upper_bound_total / double(rise.remaining))
        << text;
    EXPECT_EQ(index_text(question, answer, 0),
              fmt::format("{:.3f} ({:.3f} per pull, at cost 9)", rise.index / 9, rise.index));
    above += says(text, "above its upper bound") ? 1 : 0;
  }
  EXPECT_GT(above, 3);
}

TEST(Expectation, AnExpectedRewardBelowTheRewardNowHasAReason) {
  int below = 0;
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    Question question{.history = rise_flat_hill(seed, 60 + 10 * static_cast<int>(seed), 0.15)};
    question.horizon = std::ssize(question.history.pulls) + 400;
    const Recommendation answer = recommend(question);
    const ArmReport& first = answer.arms[static_cast<std::size_t>(answer.next.first)];
    const bool is_below = first.expected->mean < first.reward_now->mean - first.reward_now->standard_error;
    const std::string text = reasons(question, answer);
    EXPECT_EQ(says(text, "That is less than"), is_below) << text;
    EXPECT_EQ(says(text, "although it is rising"), is_below && first.trend->stated() == Trend::rising) << text;
    below += is_below && first.trend->stated() != Trend::rising ? 1 : 0;
  }
  EXPECT_GT(below, 3);
}

TEST(Expectation, NothingIsLearnedFromTheLastPull) {
  int better = 0;
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    Question question{.history = rise_flat_hill(seed, 60 + 10 * static_cast<int>(seed), seed % 2 == 0 ? 0.15 : 0)};
    question.horizon = std::ssize(question.history.pulls) + 1;
    const Recommendation answer = recommend(question);
    EXPECT_TRUE(answer.last_decision);
    EXPECT_FALSE(answer.to_learn);
    EXPECT_FALSE(answer.what_if);
    for (const ArmReport& arm : answer.arms) EXPECT_EQ(arm.value_of_learning.value_or(0), 0);
    const std::string text = reasons(question, answer);
    EXPECT_FALSE(says(text, "to learn")) << text;
    EXPECT_FALSE(says(text, "may fall as well")) << text;
    EXPECT_EQ(says(text, "nothing can be learned for later"), answer.better.has_value()) << text;
    if (!answer.better) continue;
    ++better;
    const double more = answer.arms[static_cast<std::size_t>(*answer.better)].expected->mean -
                        answer.arms[static_cast<std::size_t>(answer.next.first)].expected->mean;
    EXPECT_GT(more, 0);
    EXPECT_TRUE(says(text, fmt::format("rm '{}' is expected to pay {} more per pull.",
                                       question.history.arm_names[static_cast<std::size_t>(*answer.better)],
                                       reward_difference_text(question.scale, more))))
        << text;
    question.horizon += 1;
    EXPECT_FALSE(recommend(question).last_decision) << "the reward of the next pull can change the choice of the last";
  }
  EXPECT_GE(better, 5) << "the case must occur";
}

TEST(Expectation, NothingIsLearnedFromTheLastRound) {
  Question question{.history = rise_flat_hill(1, 900, 0), .horizon = 950};
  question.constraints.units_per_round = 50;
  const Recommendation last = recommend(question);
  EXPECT_EQ(last.next.pulls(), 50);
  EXPECT_TRUE(last.last_decision);
  EXPECT_FALSE(last.what_if);
  EXPECT_FALSE(last.to_learn);
  EXPECT_EQ(what_would_change(question, last)[0],
            "Nothing: all of these pulls are decided together, and no decision is left after them.");
  question.horizon = 951;
  EXPECT_FALSE(recommend(question).last_decision);
  EXPECT_TRUE(recommend(question).what_if);
  question.horizon = 950;
  question.unavailable_now = {0, 1};
  EXPECT_TRUE(recommend(question).last_decision);
  question.constraints.costs.every = 3;  // 2 of 50 units are left, which pay for no pull
  question.horizon = 2750;
  EXPECT_TRUE(recommend(question).last_decision);
}

TEST(Expectation, TheBetterArmIsOneThatCanBePulledInTheNextRound) {
  int better = 0;
  int unavailable = 0;
  for (std::uint64_t seed = 0; seed < 60 / sanitizer_slowdown(); ++seed) {
    Question question{.history = rise_flat_hill(seed, 300, 0), .horizon = 900};
    question.constraints.units_per_round = 20;
    const std::optional<Arm> without = recommend(question).better;
    for (Arm arm = 0; arm < 3; ++arm) {
      question.constraints.unavailable = {{arm, {{1, 2}}}};  // past rounds: 16 is next
      EXPECT_EQ(recommend(question).better, without);
    }
    if (!without) continue;
    ++better;
    question.constraints.unavailable = {{*without, {{16, 16}}}};
    const Recommendation answer = recommend(question);
    EXPECT_EQ(answer.next.number, 16);
    EXPECT_NE(answer.better, without);
    unavailable += 1;
  }
  if (sanitizer_slowdown() == 1) {
    EXPECT_GT(better, 3);
  }
  EXPECT_EQ(unavailable, better);
}

TEST(Expectation, TheReasonOfALargerIndexIsTrue) {
  std::map<std::string, int> said;
  constexpr std::uint64_t kStep = sanitizer_slowdown() > 1 ? 7 : 1;
  for (std::uint64_t seed = 0; seed < 300; seed += kStep) {
    Question question{.history = rise_flat_hill(seed, 30 + 3 * static_cast<int>(seed), seed % 3 == 0 ? 0.02 : 0.2)};
    question.horizon = std::ssize(question.history.pulls) + (seed % 2 == 0 ? 1 : 3);
    if (seed % 3 == 0) question.noise = NoNoise{};
    const Recommendation answer = recommend(question);
    const std::string text = reasons(question, answer);
    const ArmReport& first = answer.arms[static_cast<std::size_t>(answer.next.first)];
    const auto count = [&](const std::string& part) {
      const bool found = says(text, part);
      said[part] += found ? 1 : 0;
      return found;
    };
    if (count("also counts a higher level or growth")) {
      EXPECT_GT(first.index, first.expected->mean) << text;
      EXPECT_FALSE(first.classified_falling) << text;
      EXPECT_GT(answer.sd, 0) << text;
    }
    if (count("The policy counts less for")) {
      const ArmReport& better = answer.arms[static_cast<std::size_t>(*answer.better)];
      EXPECT_LT(better.index, better.expected->mean) << text;
    }
    if (count("it is an upper estimate")) {
      EXPECT_TRUE(first.classified_falling) << text;
    }
    if (count("the policy compares upper bounds")) {
      EXPECT_EQ(answer.sd, 0) << text;
    }
  }
  if (sanitizer_slowdown() > 1) return;  // too few for every sentence
  for (const auto& [part, count] : said) EXPECT_GT(count, 0) << part;
}

}  // namespace
}  // namespace longrun
