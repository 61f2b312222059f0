#include "longrun/decide/advice/newest_zeros.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "longrun/decide/advice/explanation.h"
#include "longrun/decide/advice/recommendation.h"
#include "tests/long_tests.h"

namespace longrun {
namespace {

using DrawRandom = std::mt19937_64;
/// Draws a reward of an arm at a part, from 0 to 1, of the log.
using DrawAtPart = std::function<double(Arm, double, DrawRandom&)>;

History log_of_draws(int rows, std::uint64_t seed, const DrawAtPart& draw) {
  DrawRandom random(seed);
  History history{.arm_names = {"north", "south", "east"}, .pulls = {}};
  for (int row = 0; row < rows; ++row) {
    const auto arm = static_cast<Arm>(random() % 3);
    history.pulls.push_back({.arm = arm, .reward = draw(arm, static_cast<double>(row) / rows, random)});
  }
  return history;
}

bool is_drawn(double probability, DrawRandom& random) {
  return std::uniform_real_distribution<double>()(random) < probability;
}

/// Returns a rate that is constant, rises or falls, by the arm.
double rate_at(Arm arm, double part, double low, double high) {
  return arm == 0 ? low : arm == 1 ? low + (high - low) * part : high - (high - low) * part;
}

/// Returns in how many of 1,000 logs there is a caution.
int cautions_about(const DrawAtPart& draw, int rows) {
  int found = 0;
  for (std::uint64_t seed = 0; seed < 1000; ++seed)
    found += newest_zeros_caution(log_of_draws(rows, seed, draw)).empty() ? 0 : 1;
  return found;
}

const DrawAtPart kNoisy = [](Arm arm, double part, DrawRandom& random) {
  return rate_at(arm, part, 0.4, 0.8) + std::normal_distribution<double>(0, 0.08)(random);
};

TEST(NewestZeros, ThatReplaceRewardsNotKnownYetAreNamed) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    History history = log_of_draws(300, seed, kNoisy);
    for (std::size_t row = 285; row < 300; ++row) history.pulls[row] = {.arm = static_cast<Arm>(row % 3), .reward = 0};
    EXPECT_EQ(
        newest_zeros_caution(history),
        "The newest rewards of 3 arms, 15 in all, are exactly 0, but none of the 285 before them. If 0 stands for "
        "rewards that are not known yet, leave these rewards empty: the pulls then count as pending.")
        << seed;
  }
}

TEST(NewestZeros, AreAmongTheCautionsOfAnAnswer) {
  Question question{.history = log_of_draws(300, 1, kNoisy), .horizon = 600};
  const auto is_given = [&] {
    const std::vector<std::string> all = cautions(question, recommend(question));
    return std::any_of(all.begin(), all.end(), [](const std::string& each) {
      return each.starts_with("The newest rewards of 3 arms, 15 in all, ");
    });
  };
  EXPECT_FALSE(is_given());
  for (std::size_t row = 285; row < 300; ++row) question.history.pulls[row].reward = std::nullopt;
  EXPECT_FALSE(is_given());
  for (std::size_t row = 285; row < 300; ++row) question.history.pulls[row].reward = 0;
  EXPECT_TRUE(is_given());
}

TEST(NewestZeros, AreNamedAmongYesAndNoIfTheyAreMany) {
  int found = 0;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    History history =
        log_of_draws(300, seed, [](Arm, double, DrawRandom& random) { return is_drawn(0.5, random) ? 1.0 : 0.0; });
    for (std::size_t row = 240; row < 300; ++row) history.pulls[row].reward = 0;
    found += newest_zeros_caution(history).starts_with("The newest ") ? 1 : 0;
  }
  EXPECT_GE(found, 95);
}

TEST(NewestZeros, ThatAreTrueHaveACautionInAtMostOneOfAHundredLogsUnlessAllArmsFallToZero) {
  for (const int rows : {30, 100, 400}) {
    for (const double high : {0.3, 0.6, 0.9}) {
      const auto yes_no = [&](Arm arm, double part, DrawRandom& random) {
        return is_drawn(rate_at(arm, part, 0.02, high), random) ? 1.0 : 0.0;
      };
      const auto amounts = [&](Arm arm, double part, DrawRandom& random) {
        const double amount = std::exp(std::normal_distribution<double>(3, 0.7)(random));
        return is_drawn(rate_at(arm, part, 0.05, high), random) ? amount : 0.0;
      };
      const auto all_fall = [&](Arm, double part, DrawRandom& random) {
        return is_drawn(rate_at(2, part, 0.02, high), random) ? 1.0 : 0.0;
      };
      EXPECT_LE(cautions_about(yes_no, rows), 10) << rows << " rows, rates up to " << high;
      EXPECT_LE(cautions_about(amounts, rows), 10) << rows << " rows, rates up to " << high;
      EXPECT_LE(cautions_about(all_fall, rows), 30) << rows << " rows, rates from " << high;
    }
    EXPECT_EQ(cautions_about(kNoisy, rows), 0) << rows;
  }
}

TEST(NewestZeros, OfManyArmsWithLowConstantRatesHaveACautionInAtMostOneOfAHundredLogs) {
  LONGRUN_SKIP_COUNTS_UNDER_SANITIZERS();
  struct LowRate {
    Arm arms;
    double rate;
  };
  for (const auto& [arms, rate] : {LowRate{4, 0.005}, {6, 0.01}, {4, 0.02}, {10, 0.02}, {20, 0.05}, {20, 0.03}}) {
    int found = 0;
    for (std::uint64_t seed = 0; seed < 300; ++seed) {
      DrawRandom random(seed);
      History history{.arm_names = std::vector<std::string>(static_cast<std::size_t>(arms), "arm"), .pulls = {}};
      for (int row = 0; row < 2000; ++row)
        history.pulls.push_back({.arm = row % arms, .reward = is_drawn(rate, random) ? 1.0 : 0.0});
      found += newest_zeros_caution(history).empty() ? 0 : 1;
    }
    EXPECT_LE(found, 3) << arms << " arms, rate " << rate;
  }
}

/// Returns whether the log has the caution that some of the newest rewards, and not all, are 0.
bool has_caution_about_some(const History& history) {
  return newest_zeros_caution(history).find(" rewards are exactly 0; by those before them, about ") !=
         std::string::npos;
}

/// Returns how many of 100 logs have the caution about some of the newest rewards if each of the last ones, so many, is
/// replaced by 0 with this probability.
int cautions_about_some(const DrawAtPart& draw, int rows, int last, double probability) {
  int found = 0;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    History history = log_of_draws(rows, seed, draw);
    DrawRandom random(seed + 1000);
    for (auto pull = history.pulls.end() - last; pull != history.pulls.end(); ++pull) {
      if (is_drawn(probability, random)) pull->reward = 0;
    }
    found += has_caution_about_some(history) ? 1 : 0;
  }
  return found;
}

// docs/recommend.md has these numbers.
TEST(NewestZeros, ThatReplaceSomeOfTheNewestRewardsAreFoundWhereStatisticsAllow) {
  const auto mostly_yes = [](Arm, double, DrawRandom& random) { return is_drawn(0.9, random) ? 1.0 : 0.0; };
  EXPECT_GE(cautions_about_some(kNoisy, 100, 30, 0.5), 90);
  EXPECT_GE(cautions_about_some(kNoisy, 300, 30, 0.5), 95);
  EXPECT_GE(cautions_about_some(kNoisy, 1500, 30, 0.5), 95);
  EXPECT_GE(cautions_about_some(kNoisy, 1500, 300, 0.5), 95);
  EXPECT_GE(cautions_about_some(mostly_yes, 300, 60, 0.8), 90);
  EXPECT_GE(cautions_about_some(mostly_yes, 1500, 150, 0.5), 90);
}

TEST(NewestZeros, ThatReplaceSomeOfTheNewestRewardsAreCounted) {
  History history = log_of_draws(300, 1, kNoisy);
  for (std::size_t row = 270; row < 300; row += 2) history.pulls[row].reward = 0;
  const std::string caution = newest_zeros_caution(history);
  EXPECT_TRUE(caution.starts_with("15 of the newest 3")) << caution;  // not every number of rows is tried
  EXPECT_NE(caution.find(" rewards are exactly 0; by those before them, about 0 or 1 would be. If 0 stands for "),
            std::string::npos)
      << caution;
}

TEST(NewestZeros, OfOneArmAmongOtherRewardsSayNothing) {
  History history = log_of_draws(300, 1, kNoisy);
  for (std::size_t row = 250; row < 300; ++row) {
    if (history.pulls[row].arm == 1 && row % 3 != 0) history.pulls[row].reward = 0;
  }
  EXPECT_EQ(newest_zeros_caution(history), "") << "this arm may fall";
}

TEST(NewestZeros, AmongOthersThatAreTrueHaveACautionInAtMostOneOfAHundredLogsEvenIfAllRatesBend) {
  LONGRUN_SKIP_COUNTS_UNDER_SANITIZERS();
  for (const auto& [rows, logs] : {std::pair{60, 400}, std::pair{400, 300}, std::pair{1500, 200}}) {
    for (const double high : {0.3, 0.6, 0.9}) {
      const std::array<std::function<double(double)>, 4> curves{
          [=](double part) { return high * (1 - 0.8 * std::abs(2 * part - 1)); },  // a peak in the middle
          [=](double part) { return high * (1 - 0.8 * part * part); },
          [=](double part) { return high / (1 + 5 * part); }, [=](double part) { return high * std::exp(-3 * part); }};
      int found = 0;  // of all curves
      for (const auto& curve : curves) {
        for (int seed = 0; seed < logs; ++seed) {
          const History history = log_of_draws(
              rows, static_cast<std::uint64_t>(seed),
              [&](Arm, double part, DrawRandom& random) { return is_drawn(curve(part), random) ? 0.5 : 0.0; });
          found += has_caution_about_some(history) ? 1 : 0;
        }
      }
      EXPECT_LE(found, 0.01 * 4 * logs) << rows << " rows, rates up to " << high;
    }
  }
}

TEST(NewestZeros, DoNotDependOnTheOrderOfRowsOfDifferentArms) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    History history = log_of_draws(300, seed, kNoisy);
    for (std::size_t row = 285; row < 300; ++row) history.pulls[row] = {.arm = static_cast<Arm>(row % 3), .reward = 0};
    const std::string caution = newest_zeros_caution(history);
    std::stable_sort(history.pulls.begin(), history.pulls.end(),
                     [](const PastPull& a, const PastPull& b) { return a.arm < b.arm; });
    EXPECT_EQ(newest_zeros_caution(history), caution);
  }
}

TEST(NewestZeros, OfOneArmOrWithoutOthersBeforeSayNothing) {
  History history = log_of_draws(300, 1, kNoisy);
  for (std::size_t row = 285; row < 300; ++row) history.pulls[row] = {.arm = 1, .reward = 0};
  EXPECT_EQ(newest_zeros_caution(history), "") << "this arm may have ended";
  EXPECT_EQ(newest_zeros_caution(log_of_draws(50, 1, [](Arm, double, DrawRandom&) { return 0.0; })), "");
}

}  // namespace
}  // namespace longrun
