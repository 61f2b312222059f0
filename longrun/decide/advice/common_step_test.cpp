#include "longrun/decide/advice/common_step.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <numbers>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "longrun/decide/advice/change_cautions.h"
#include "longrun/decide/advice/explanation.h"
#include "longrun/decide/advice/recommendation.h"
#include "tests/long_tests.h"

namespace longrun {
namespace {

constexpr int kLogsOfSteps = 100;
constexpr int kRowsOfSteps = 240;
constexpr int kArmsOfSteps = 4;
constexpr int kPullsOfArm = kRowsOfSteps / kArmsOfSteps;

/// The mean reward of an arm at its pull, and a draw of a reward with this mean.
using MeanOfPull = double (*)(int arm, int pull);
using DrawReward = std::function<double(double mean, std::mt19937_64& random)>;

double level_of(int arm, int /*pull*/) { return 0.45 + 0.1 * arm; }
double rising_of(int arm, int pull) { return level_of(arm, 0) * (1 - std::exp(-pull / 10.0)); }
double falling_of(int arm, int pull) { return 0.1 + level_of(arm, 0) * std::exp(-pull / 15.0); }
double hill_of(int arm, int pull) { return level_of(arm, 0) + (pull < 30 ? 0.005 * pull : 0.3 - 0.005 * pull); }
double mixed_of(int arm, int pull) {
  return std::array{level_of, rising_of, falling_of, hill_of}.at(static_cast<std::size_t>(arm % 4))(arm, pull);
}

double normal_reward(double mean, std::mt19937_64& random) {
  return std::normal_distribution<double>(mean, 0.07)(random);
}
double precise_reward(double mean, std::mt19937_64& random) {
  return std::normal_distribution<double>(mean, 0.01)(random);
}
double yes_no_reward(double mean, std::mt19937_64& random) { return std::bernoulli_distribution(mean)(random) ? 1 : 0; }
double rare_reward(double mean, std::mt19937_64& random) { return yes_no_reward(0.1 * mean, random); }
double amount_reward(double mean, std::mt19937_64& random) {
  return mean * std::lognormal_distribution<double>(0, 0.8)(random);
}

/// Returns a log in which the arms take turns, or the arm with the largest mean so far is pulled in 7 of 10 rows.
History log_of_arms(MeanOfPull mean, const DrawReward& draw, std::uint64_t seed, bool greedy = false) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> uniform;
  History history{.arm_names = {"a", "b", "c", "d"}, .pulls = {}};
  std::array<int, kArmsOfSteps> pulls{};
  std::array<double, kArmsOfSteps> sums{};
  for (int row = 0; row < kRowsOfSteps; ++row) {
    auto arm = static_cast<std::size_t>(row % kArmsOfSteps);
    if (greedy && row >= kArmsOfSteps && uniform(random) < 0.7) {
      for (std::size_t other = 0; other < kArmsOfSteps; ++other)
        if (sums[other] * pulls[arm] > sums[arm] * pulls[other]) arm = other;
    }
    const double reward = draw(mean(static_cast<int>(arm), ++pulls[arm]), random);
    sums[arm] += reward;
    history.pulls.push_back({static_cast<Arm>(arm), reward});
  }
  return history;
}

/// Multiplies the rewards of some rows.
History in_other_unit(History history, double factor, std::size_t begin, std::size_t end) {
  for (std::size_t row = begin; row < end; ++row) history.pulls[row].reward = factor * *history.pulls[row].reward;
  return history;
}

History with_step(History history, double step, std::size_t begin) {
  for (std::size_t row = begin; row < history.pulls.size(); ++row) *history.pulls[row].reward += step;
  return history;
}

bool is_near(std::size_t place, std::size_t row) { return place + kArmsOfSteps >= row && place <= row + kArmsOfSteps; }

TEST(CommonStep, IsFoundInAtMostOneOfTwentyLogsWithoutOne) {
  LONGRUN_SKIP_COUNTS_UNDER_SANITIZERS();
  const std::array<DrawReward, 5> draws{normal_reward, precise_reward, yes_no_reward, rare_reward, amount_reward};
  const std::array<MeanOfPull, 5> means{level_of, rising_of, falling_of, hill_of, mixed_of};
  for (std::size_t mean = 0; mean < means.size(); ++mean) {
    for (std::size_t draw = 0; draw < draws.size(); ++draw) {
      for (const bool greedy : {false, true}) {
        int found = 0;
        for (int log = 0; log < kLogsOfSteps; ++log)
          found +=
              find_common_step(log_of_arms(means[mean], draws[draw], static_cast<std::uint64_t>(log), greedy)) ? 1 : 0;
        EXPECT_LE(found, kLogsOfSteps / 20) << "mean " << mean << ", noise " << draw << (greedy ? ", greedy" : "");
      }
    }
  }
}

TEST(CommonStep, IsFoundInNineOfTenLogsWhereAllArmsStepInEitherDirection) {
  LONGRUN_SKIP_COUNTS_UNDER_SANITIZERS();
  for (const MeanOfPull mean : {level_of, rising_of, hill_of}) {
    for (const double step : {-0.3, 0.3}) {
      for (const std::size_t row : {60U, 120U, 180U}) {
        int found = 0;
        for (int log = 0; log < kLogsOfSteps; ++log) {
          const auto history = log_of_arms(mean, normal_reward, static_cast<std::uint64_t>(log));
          const auto common = find_common_step(with_step(history, step, row));
          found += common && is_near(common->pull, row) && (common->after > common->before) == (step > 0) ? 1 : 0;
        }
        // Where all arms grow steeply, at row 60, a step up looks like more of it.
        const bool hidden = mean == rising_of && row == 60;
        EXPECT_GE(found, kLogsOfSteps * (hidden ? 7 : 9) / 10) << step << " at row " << row;
      }
    }
  }
}

TEST(CommonStep, OfFourStandardDeviationsIsFoundInMostLogsFromTheMiddleOn) {
  LONGRUN_SKIP_COUNTS_UNDER_SANITIZERS();
  for (const MeanOfPull mean : {level_of, rising_of, falling_of, hill_of, mixed_of}) {
    for (const double step : {-0.28, 0.28, 1.0}) {
      for (const std::size_t row : {120U, 180U}) {
        int found = 0;
        for (int log = 0; log < kLogsOfSteps; ++log) {
          const auto history = log_of_arms(mean, normal_reward, 300 + static_cast<std::uint64_t>(log));
          const auto common = find_common_step(with_step(history, step, row));
          found += common && is_near(common->pull, row) && (common->after > common->before) == (step > 0) ? 1 : 0;
        }
        // In the middle of a fall, some steps up look like a part of a bend.
        const bool hidden = mean == falling_of && row == 120 && step == 0.28;
        EXPECT_GE(found, kLogsOfSteps * (hidden ? 75 : 88) / 100)
            << step << " at row " << row << " of arms like " << mean(0, 20);
      }
    }
  }
}

/// Returns a log of arms that take turns, or come in random order, with 60 pulls each on average. The noise of an arm
/// is autocorrelated by `correlation`.
template <class Mean>
History log_of_few(std::size_t arms, const Mean& mean, bool shuffled, double sd, double correlation,
                   std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  History history{.arm_names = {}, .pulls = {}};
  std::vector<double> errors;
  for (std::size_t arm = 0; arm < arms; ++arm) {
    history.arm_names.push_back(fmt::format("arm {}", arm));
    errors.push_back(normal(random));
  }
  std::vector<int> pulls(arms);
  for (std::size_t row = 0; row < 60 * arms; ++row) {
    const std::size_t arm = shuffled ? random() % arms : row % arms;
    errors[arm] = correlation * errors[arm] + std::sqrt(1 - correlation * correlation) * normal(random);
    history.pulls.push_back({static_cast<Arm>(arm), mean(static_cast<int>(arm), ++pulls[arm]) + sd * errors[arm]});
  }
  return history;
}

TEST(CommonStep, IsRarelyFoundWhereArmsFallNearEachOther) {
  LONGRUN_SKIP_COUNTS_UNDER_SANITIZERS();
  for (const std::size_t arms : {2U, 3U, 4U}) {
    for (const int apart : {4, 6, 10}) {
      for (const bool shuffled : {false, true}) {
        const auto mean = [&](int arm, int pull) { return pull > 20 + apart * arm ? 0.3 : 0.7; };
        int found = 0;
        for (int log = 0; log < kLogsOfSteps; ++log)
          found += find_common_step(log_of_few(arms, mean, shuffled, 0.05, 0, static_cast<std::uint64_t>(log))) ? 1 : 0;
        // In random order, two or three arms may fall at the same row by chance.
        const int most = !shuffled || arms == 4 ? 5 : arms == 3 ? 10 : 15;
        EXPECT_LE(found, most) << arms << " arms, " << apart << " pulls apart" << (shuffled ? ", shuffled" : "");
      }
    }
  }
}

TEST(CommonStep, IsFoundInAtMostOneOfTwentyLogsWithAutocorrelatedNoise) {
  LONGRUN_SKIP_COUNTS_UNDER_SANITIZERS();
  for (const std::size_t arms : {2U, 3U, 4U}) {
    for (const double correlation : {0.5, 0.7, 0.9}) {
      int found = 0;
      for (int log = 0; log < kLogsOfSteps; ++log)
        found += find_common_step(log_of_few(arms, level_of, false, 0.07, correlation, static_cast<std::uint64_t>(log)))
                     ? 1
                     : 0;
      EXPECT_LE(found, kLogsOfSteps / 20) << arms << " arms, " << correlation;
    }
  }
}

TEST(CommonStep, OfTwoArmsIsSaidToBeLikeTwoChangesByTheirOwnPulls) {
  const CommonStep step{.pull = 60, .arms = 2, .judged = 2, .before = 0.7, .after = 0.3};
  EXPECT_NE(common_step_caution({.history = log_of_few(2, level_of, false, 0.05, 0, 1)}, step, "")
                .find("Two arms that change suddenly by their own pulls, at about the same row, look the same."),
            std::string::npos);
}

TEST(CommonStep, IsFoundInAtMostOneOfTwentyLogsWithASeason) {
  LONGRUN_SKIP_COUNTS_UNDER_SANITIZERS();
  for (const double amplitude : {0.07, 0.14}) {
    for (const double periods : {4.0, 6.0, 8.0}) {
      int found = 0;
      for (int log = 0; log < kLogsOfSteps; ++log) {
        History history = log_of_arms(level_of, normal_reward, static_cast<std::uint64_t>(log));
        for (int row = 0; row < kRowsOfSteps; ++row) {
          const double phase = 2 * std::numbers::pi * periods * row / kRowsOfSteps;
          *history.pulls[static_cast<std::size_t>(row)].reward += amplitude * std::sin(phase);
        }
        found += find_common_step(history) ? 1 : 0;
      }
      EXPECT_LE(found, kLogsOfSteps / 20) << amplitude << " at " << periods << " periods";
    }
  }
}

TEST(CommonStep, TellsTheFactorOfAnotherUnit) {
  for (const double factor : {0.001, 0.01, 10.0, 1000.0}) {
    const auto step =
        find_common_step(in_other_unit(log_of_arms(level_of, normal_reward, 1), factor, 180, kRowsOfSteps));
    ASSERT_TRUE(step) << factor;
    EXPECT_TRUE(is_near(step->pull, 180));
    EXPECT_FALSE(step->end);
    ASSERT_TRUE(step->factor) << factor;
    EXPECT_NEAR(*step->factor / factor, 1, 1e-12);
    EXPECT_EQ(step->arms, kArmsOfSteps);
  }
  const auto crisis = find_common_step(with_step(log_of_arms(level_of, normal_reward, 1), -0.3, 180));
  ASSERT_TRUE(crisis);
  EXPECT_FALSE(crisis->factor);
  EXPECT_NEAR(crisis->before, 0.6, 0.05);
  EXPECT_NEAR(crisis->after, 0.3, 0.05);
}

TEST(CommonStep, TellsBothEndsOfABatchInAnotherUnit) {
  for (const double factor : {0.001, 0.1, 10.0, 1000.0}) {
    for (const std::size_t end : {112U, 140U}) {
      const auto step = find_common_step(in_other_unit(log_of_arms(level_of, normal_reward, 2), factor, 100, end));
      ASSERT_TRUE(step) << factor;
      EXPECT_TRUE(is_near(step->pull, 100)) << factor;
      ASSERT_TRUE(step->end) << factor;
      EXPECT_TRUE(is_near(*step->end, end)) << factor;
    }
  }
}

TEST(CommonStep, IsNoStepOfOneArm) {
  History history = log_of_arms(level_of, normal_reward, 3);
  for (std::size_t row = 120; row < kRowsOfSteps; ++row)
    if (history.pulls[row].arm == 1) *history.pulls[row].reward -= 0.5;
  EXPECT_FALSE(find_common_step(history));
}

TEST(CommonStep, IsNotFoundWhereRowsAreSortedByArm) {
  History history = with_step(log_of_arms(level_of, normal_reward, 1), -0.3, 120);
  ASSERT_TRUE(find_common_step(history));
  std::stable_sort(history.pulls.begin(), history.pulls.end(),
                   [](const PastPull& a, const PastPull& b) { return a.arm < b.arm; });
  EXPECT_FALSE(find_common_step(history)) << "such rows do not show the time";
}

TEST(CommonStep, IsNotFoundInExactRewards) {
  for (const MeanOfPull mean : {level_of, rising_of, falling_of, hill_of, mixed_of}) {
    const auto exact = [](double value, std::mt19937_64&) { return value; };
    EXPECT_FALSE(find_common_step(log_of_arms(mean, exact, 1)));
  }
}

/// Returns the caution that begins so; empty if there is none.
std::string caution_with(const Question& question, const Recommendation& answer, std::string_view beginning) {
  for (const std::string& caution : cautions(question, answer))
    if (caution.starts_with(beginning)) return caution;
  return "";
}

TEST(CommonStep, IsNamedWithTheChoiceThatFollowsIfTheEarlierRowsAreDeleted) {
  for (const double step : {-0.3, 0.25}) {
    const Question question{.history = with_step(log_of_arms(level_of, normal_reward, 4), step, 180), .horizon = 400};
    const Recommendation answer = recommend(question);
    ASSERT_TRUE(answer.first_without_step);
    Question later = question;
    const auto rows = static_cast<std::ptrdiff_t>(answer.step->pull);
    later.history.pulls.erase(later.history.pulls.begin(), later.history.pulls.begin() + rows);
    later.horizon -= rows;
    EXPECT_EQ(*answer.first_without_step, recommend(later).next.first);
    const std::string caution =
        caution_with(question, answer,
                     step < 0 ? "The rewards of all 4 arms fall together" : "The rewards of all 4 arms rise together");
    EXPECT_NE(caution.find(
                  fmt::format("delete the {0} earlier rows, and reduce the horizon by {0}: the choice is then ", rows)),
              std::string::npos)
        << caution;
    EXPECT_EQ(caution.ends_with("the same."), *answer.first_without_step == answer.next.first) << caution;
    EXPECT_EQ(caution.find("another unit"), std::string::npos) << caution;
  }
}

TEST(CommonStep, OfABatchLeavesNoneOfItsRowsAmongDoubtfulRewards) {
  const Question question{.history = in_other_unit(log_of_arms(level_of, normal_reward, 5), 100, 100, 120),
                          .horizon = 400,
                          .scale = {0, 100}};
  const Recommendation answer = recommend(question);
  ASSERT_TRUE(answer.step && answer.step->end && answer.first_without_step);
  for (const Outlier& each : answer.doubtful) EXPECT_TRUE(each.pull < 100 || each.pull >= 120) << each.pull;
  const std::string caution = caution_with(question, answer, "The rewards of all 4 arms rise together at about pull 1");
  EXPECT_NE(caution.find("They change by a factor of about 100, as in another unit. If the rewards between are wrong, "
                         "correct them. If that is not possible, delete their 20 rows, and reduce the horizon by 20: "
                         "the choice is then "),
            std::string::npos)
      << caution;
}

TEST(CommonStep, IsNotHiddenByOutliers) {
  History history = with_step(log_of_arms(level_of, normal_reward, 6), -0.3, 120);
  for (const std::size_t row : {30U, 91U, 152U, 213U}) history.pulls[row].reward = 9;
  const Question question{.history = std::move(history), .horizon = 400, .scale = {-1, 10}};
  EXPECT_TRUE(recommend(question).step);
}

}  // namespace
}  // namespace longrun
