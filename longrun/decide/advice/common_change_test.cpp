#include "longrun/decide/advice/common_change.h"

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
#include <vector>

#include "longrun/decide/advice/explanation.h"
#include "longrun/decide/advice/recommendation.h"
#include "tests/long_tests.h"

namespace longrun {
namespace {

constexpr int kLogsInTime = 200;
constexpr int kRowsInTime = 400;
constexpr int kArmsInTime = 4;
constexpr double kSdInTime = 0.1;

/// Returns the mean reward of an arm at its pull and at a row of the log.
using MeanReward = std::function<double(int arm, int pull, int row)>;

/// Returns a log of kRowsInTime rows. The arms take turns; if `greedy`, the arm with the largest mean so far is pulled
/// in 7 of 10 rows.
History log_of(const MeanReward& mean, std::uint64_t seed, bool yes_or_no = false, bool greedy = false) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> noise(0, kSdInTime);
  std::uniform_real_distribution<double> uniform;
  History history{.arm_names = {"a", "b", "c", "d"}, .pulls = {}};
  std::array<int, kArmsInTime> pulls{};
  std::array<double, kArmsInTime> sums{};
  for (int row = 0; row < kRowsInTime; ++row) {
    int arm = row % kArmsInTime;
    if (greedy && row >= kArmsInTime && uniform(random) < 0.7) {
      for (int other = 0; other < kArmsInTime; ++other) {
        const auto rate = [&](int each) {
          return sums[static_cast<std::size_t>(each)] / std::max(1, pulls[static_cast<std::size_t>(each)]);
        };
        if (rate(other) > rate(arm)) arm = other;
      }
    }
    const double value = mean(arm, ++pulls[static_cast<std::size_t>(arm)], row);
    const double reward = yes_or_no ? (uniform(random) < value ? 1.0 : 0.0) : value + noise(random);
    sums[static_cast<std::size_t>(arm)] += reward;
    history.pulls.push_back({arm, reward});
  }
  return history;
}

int found_in(const MeanReward& mean, bool yes_or_no = false, bool greedy = false) {
  int found = 0;
  for (int log = 0; log < kLogsInTime; ++log)
    found += find_common_change(log_of(mean, static_cast<std::uint64_t>(log), yes_or_no, greedy)) ? 1 : 0;
  return found;
}

double season_at(int row, double periods) { return std::sin(2 * std::numbers::pi * periods * row / kRowsInTime); }

double level_arm(int arm, int /*pull*/, int /*row*/) { return 0.3 + 0.1 * arm; }
double growing_arm(int arm, int pull, int /*row*/) { return 0.2 + 0.1 * arm + 0.4 * (1 - std::exp(-pull / 30.0)); }
double hill_arm(int arm, int pull, int /*row*/) {
  const int peak = 20 + 20 * arm;
  return pull <= peak ? 0.2 + 0.5 * std::sqrt(pull / static_cast<double>(peak)) : 0.7 - 0.005 * (pull - peak);
}

TEST(CommonChange, IsFoundInAtMostOneOfTwentyLogsWithoutOne) {
  LONGRUN_SKIP_COUNTS_UNDER_SANITIZERS();
  for (const auto& mean : {level_arm, growing_arm, hill_arm}) {
    EXPECT_LE(found_in(mean), kLogsInTime / 20);
    EXPECT_LE(found_in(mean, false, true), kLogsInTime / 20) << "choices depend on rewards";
    EXPECT_LE(found_in(mean, true), kLogsInTime / 20) << "yes or no";
  }
}

TEST(CommonChange, IsFoundInAtLeastFourOfFiveLogsWithASeason) {
  LONGRUN_SKIP_COUNTS_UNDER_SANITIZERS();
  const double amplitude = 2 * kSdInTime;
  for (const auto& mean : {level_arm, growing_arm, hill_arm}) {
    const auto with_season = [&](double size, double periods) {
      return [&mean, size, periods](int arm, int pull, int row) {
        return mean(arm, pull, row) + size * season_at(row, periods);
      };
    };
    EXPECT_GE(found_in(with_season(amplitude, 4)), kLogsInTime * 4 / 5);
    EXPECT_GE(found_in(with_season(amplitude, 4), false, true), kLogsInTime * 4 / 5) << "choices depend on rewards";
    EXPECT_GE(found_in(with_season(amplitude / 2, 4)), kLogsInTime * 4 / 5) << "half as large";
    EXPECT_GE(found_in(with_season(amplitude / 2, 14)), kLogsInTime * 4 / 5) << "weeks of 28 rows";
  }
}

TEST(CommonChange, HasTheSizeOfTheSeason) {
  const auto change = find_common_change(log_of(
      [](int arm, int pull, int row) { return level_arm(arm, pull, row) + 2 * kSdInTime * season_at(row, 8); }, 1));
  ASSERT_TRUE(change);
  EXPECT_NEAR(change->sd, 2 * kSdInTime / std::numbers::sqrt2, 0.3 * kSdInTime);
  EXPECT_NEAR(change->noise_sd, kSdInTime, 0.3 * kSdInTime);
}

TEST(CommonChange, IsNotFoundWhereArmsChangeOneAfterTheOther) {
  History history = log_of(
      [](int arm, int pull, int row) { return level_arm(arm, pull, row) + 2 * kSdInTime * season_at(row, 4); }, 1);
  ASSERT_TRUE(find_common_change(history));
  std::stable_sort(history.pulls.begin(), history.pulls.end(),
                   [](const PastPull& a, const PastPull& b) { return a.arm < b.arm; });
  EXPECT_FALSE(find_common_change(history)) << "rows that are sorted by arm do not show the time";
}

TEST(CommonChange, IsNotFoundInExactRewards) {
  for (const auto& mean : {level_arm, growing_arm, hill_arm}) {
    History history{.arm_names = {"a", "b"}, .pulls = {}};
    for (int row = 0; row < 2000; ++row) history.pulls.push_back({row % 2, mean(row % 2, row / 2 + 1, row)});
    EXPECT_FALSE(find_common_change(history));
  }
}

TEST(CommonChange, NeedsArmsWithTenRewardsThatDifferFromTheMostFrequentOne) {
  std::mt19937_64 random(5);
  for (int log = 0; log < kLogsInTime; ++log) {
    History rare{.arm_names = {"a", "b", "c", "d", "e"}, .pulls = {}};
    for (int row = 0; row < 200; ++row)
      rare.pulls.push_back({static_cast<Arm>(random() % 5), random() % 100 == 0 ? 1.0 : 0.0});
    EXPECT_FALSE(find_common_change(rare)) << log;
  }
  History history{.arm_names = {"a", "b"}, .pulls = {}};
  EXPECT_FALSE(find_common_change(history));
  for (int row = 0; row < 100; ++row) history.pulls.push_back({row < 95 ? 0 : 1, row % 7 < 3 ? 1.0 : 0.0});
  EXPECT_FALSE(find_common_change(history));
}

/// Returns whether a caution tells of a common change, and names both possible reasons.
bool tells_of_common_change(const Question& question) {
  const std::vector<std::string> said = cautions(question, recommend(question));
  return std::any_of(said.begin(), said.end(), [](const std::string& caution) {
    return caution.starts_with("The rewards of different arms rise and fall together") &&
           caution.find(
               "a season or another change in time, or arms that grow slowly first and faster later, may be") !=
               std::string::npos;
  });
}

TEST(CommonChange, MayBeThatOfArmsThatGrowSlowlyFirstWhichItsCautionSays) {
  const auto slow_first = [](int arm, int pull, int /*row*/) {
    return 0.2 + 0.05 * arm + 0.6 / (1 + std::exp(-(pull - 50) / 8.0));
  };
  const Question question{.history = log_of(slow_first, 1), .horizon = 1'000};
  ASSERT_TRUE(find_common_change(question.history)) << "there is no season";
  EXPECT_TRUE(tells_of_common_change(question));
}

TEST(CommonChange, IsNotHiddenByOutliers) {
  Question question{
      .history = log_of(
          [](int arm, int pull, int row) { return level_arm(arm, pull, row) + 2 * kSdInTime * season_at(row, 8); }, 1),
      .horizon = 1'000,
      .scale = {.minimum = -5, .maximum = 6}};
  for (const std::size_t row : {61U, 62U, 263U, 264U}) question.history.pulls[row].reward = row % 2 == 0 ? -4.0 : 5.0;
  ASSERT_FALSE(find_common_change(question.history)) << "if outliers count as they are";
  EXPECT_TRUE(tells_of_common_change(question));
  question.keep_outliers = true;
  EXPECT_FALSE(tells_of_common_change(question));
}

}  // namespace
}  // namespace longrun
