#include "longrun/decide/reward_spread.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <random>
#include <string>

#include "longrun/base/input_error.h"
#include "longrun/decide/advice/question.h"
#include "longrun/decide/reward_scale.h"
#include "longrun/model/noise.h"
#include "tests/long_tests.h"

namespace longrun {
namespace {

using AmountRandom = std::mt19937_64;

/// Amounts of mean 1.
struct Amounts {
  const char* name;
  double (*draw)(AmountRandom&);
};

template <int kTenths>
double lognormal(AmountRandom& random) {
  constexpr double kSigma = kTenths / 10.0;
  return std::lognormal_distribution<double>(-kSigma * kSigma / 2, kSigma)(random);
}
double exponential_amount(AmountRandom& random) { return std::exponential_distribution<double>(1)(random); }
double rare_amount(AmountRandom& random) {
  constexpr double kRate = 0.03;
  return std::bernoulli_distribution(kRate)(random) ? lognormal<7>(random) / kRate : 0;
}
double percentage(AmountRandom& random) { return std::uniform_real_distribution<double>(0, 2)(random); }

constexpr Amounts kSkewed[] = {{"lognormal, sigma 0.5", lognormal<5>},
                               {"lognormal, sigma 1", lognormal<10>},
                               {"lognormal, sigma 1.3", lognormal<13>},
                               {"exponential", exponential_amount},
                               {"rare, lognormal", rare_amount}};

constexpr double kMeans[] = {500, 900, 1400};  // of the arms

Question log_of_amounts(double (*draw)(AmountRandom&), int rows, std::uint64_t seed) {
  AmountRandom random(seed);
  Question question{
      .history = {.arm_names = {"a", "b", "c"}, .pulls = {}}, .horizon = Pulls{2} * rows, .scale = {0, 2000}};
  for (int row = 0; row < rows; ++row)
    question.history.pulls.push_back({.arm = row % 3, .reward = kMeans[row % 3] * draw(random)});
  return question;
}

bool is_refused(const Question& question) {
  try {
    check_rewards(question);
    check_means(question);
    return false;
  } catch (const InputError&) {
    return true;
  }
}

/// Returns the number of the first reward, from 1, that is refused if they are told one by one; 0 if none is.
int refused_online_at(const Question& question) {
  ScaleCheck check(question.scale, question.noise, question.history.arms());
  int number = 0;
  try {
    for (const PastPull& pull : question.history.pulls) {
      ++number;
      check.add(pull.arm, *pull.reward, question.history.arm_names);
    }
    return 0;
  } catch (const InputError&) {
    return number;
  }
}

bool is_refused_online(const Question& question) { return refused_online_at(question) > 0; }

/// Returns in how many of 200 logs of so many rows rewards are refused, after a change.
template <class IsRefused, class Change>
int refused_of_200(double (*draw)(AmountRandom&), int rows, IsRefused refused, Change change) {
  int count = 0;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    Question question = log_of_amounts(draw, rows, seed);
    change(question);
    count += refused(question) ? 1 : 0;
  }
  return count;
}

constexpr auto kUnchanged = [](Question&) {};
constexpr auto kForgottenScale = [](Question& question) { question.scale = {0, 1}; };

TEST(RewardSpread, SkewedAmountsAreOnTheirScale) {
  LONGRUN_SKIP_COUNTS_UNDER_SANITIZERS();
  for (const Amounts& amounts : kSkewed) {
    for (const int rows : {12, 60, 300, 2000}) {
      const int refused = refused_of_200(amounts.draw, rows, is_refused, kUnchanged);
      const int online = refused_of_200(amounts.draw, rows, is_refused_online, kUnchanged);
      EXPECT_LE(refused, 10) << amounts.name << ", " << rows << " rows";
      EXPECT_LE(online, amounts.draw == rare_amount ? 60 : 45) << amounts.name << ", " << rows << " rows";
      if (long_tests()) fmt::print("{}, {} rows: {} of 200, online {}\n", amounts.name, rows, refused, online);
    }
  }
}

// docs/recommend.md has these numbers.
TEST(RewardSpread, AStudyRefusesCorrectAmountsAmongItsFirstEightRewardsUnlessTheyAreRare) {
  LONGRUN_SKIP_COUNTS_UNDER_SANITIZERS();
  constexpr int kStudies = 500;
  for (const Amounts& amounts : kSkewed) {
    int first = 0;  // studies that refuse one of the first eight rewards
    int later = 0;
    for (std::uint64_t seed = 0; seed < kStudies; ++seed) {
      const int refused = refused_online_at(log_of_amounts(amounts.draw, 600, seed));
      first += refused > 0 && refused <= 8 ? 1 : 0;
      later += refused > 8 ? 1 : 0;
    }
    const bool rare = amounts.draw == rare_amount;
    EXPECT_LE(first, kStudies * (rare ? 0.26 : 0.2)) << amounts.name;
    EXPECT_LE(later, kStudies * (rare ? 0.1 : 0.02)) << amounts.name;
    if (rare) {
      EXPECT_GE(later, kStudies * 0.04);
    }
    if (long_tests()) fmt::print("{}: {} and later {} of {}\n", amounts.name, first, later, kStudies);
  }
}

TEST(RewardSpread, AForgottenScaleIsRefused) {
  for (const Amounts& amounts : kSkewed) {
    for (const int rows : {60, 300}) {
      // A log without a sale has nothing to refuse.
      const int least = amounts.draw == rare_amount && rows == 60 ? 150 : 200;
      EXPECT_GE(refused_of_200(amounts.draw, rows, is_refused, kForgottenScale), least) << amounts.name;
      EXPECT_GE(refused_of_200(amounts.draw, rows, is_refused_online, kForgottenScale), least) << amounts.name;
    }
  }
  const auto percent = [](Question& question) { question.scale = {0, 20}; };
  for (const int rows : {6, 60, 300}) {
    EXPECT_EQ(refused_of_200(percentage, rows, is_refused, percent), 200) << rows;
    EXPECT_EQ(refused_of_200(percentage, rows, is_refused_online, percent), 200) << rows;
  }
}

TEST(RewardSpread, AnArmInAnotherUnitIsRefused) {
  const auto hundredfold = [](Question& question) {
    for (PastPull& pull : question.history.pulls) pull.reward = *pull.reward * (pull.arm == 1 ? 100 : 1);
  };
  for (const auto& draw : {lognormal<5>, exponential_amount, percentage}) {
    for (const int rows : {60, 300}) {
      EXPECT_EQ(refused_of_200(draw, rows, is_refused, hundredfold), 200) << rows;
      EXPECT_EQ(refused_of_200(draw, rows, is_refused_online, hundredfold), 200) << rows;
    }
  }
}

TEST(RewardSpread, ATypoFarOutsideTheScaleIsRefusedAmongNormalRewards) {
  int refused = 0;
  int online = 0;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    AmountRandom random(seed);
    Question question{.history = {.arm_names = {"a", "b"}, .pulls = {}}, .horizon = 400};
    for (int row = 0; row < 200; ++row)
      question.history.pulls.push_back({row % 2, 0.5 + std::normal_distribution<double>(0, 0.1)(random)});
    EXPECT_FALSE(is_refused(question));
    question.history.pulls[20 + seed / 2].reward = 50;
    refused += is_refused(question) ? 1 : 0;
    online += is_refused_online(question) ? 1 : 0;
  }
  EXPECT_EQ(refused, 200);
  EXPECT_EQ(online, 200);
}

/// Returns a question about one arm with rewards of mean `mean` and deviation `sd`, after which `last` follows.
Question log_with_last(double mean, double sd, RewardScale scale, std::optional<Noise> noise, double last) {
  AmountRandom random(7);
  Question question{.history = {.arm_names = {"a"}, .pulls = {}}, .horizon = 100, .noise = noise, .scale = scale};
  for (int row = 0; row < 19; ++row)
    question.history.pulls.push_back({0, std::normal_distribution<double>(mean, sd)(random)});
  question.history.pulls.push_back({0, last});
  return question;
}

TEST(RewardSpread, ADecimalSlipIsRefusedWhereTheNoiseIsKnown) {
  for (const double slip : {1.2, 2.05, 20.5}) {
    const Question question = log_with_last(0.2, 0.01, {0, 1}, Gaussian{0.01}, slip);
    EXPECT_TRUE(is_refused(question)) << slip;
    EXPECT_TRUE(is_refused_online(question)) << slip;
  }
  EXPECT_FALSE(is_refused(log_with_last(0.2, 0.01, {0, 1}, Gaussian{0.01}, 0.22)));
}

TEST(RewardSpread, AnAmountFarBelowTheScaleIsNotSkewed) {
  for (const double slip : {0.9, 9.0, 40.0}) {
    const Question question = log_with_last(90, 1, {80, 100}, std::nullopt, slip);
    EXPECT_TRUE(is_refused(question)) << slip;
    EXPECT_TRUE(is_refused_online(question)) << slip;
  }
  const Question narrow = log_with_last(1005, 1, {1000, 1010}, std::nullopt, 100.5);
  EXPECT_TRUE(is_refused(narrow));
  EXPECT_TRUE(is_refused_online(narrow));
}

TEST(RewardSpread, TheOrderOfRowsDoesNotDecideWhatTheLogShows) {
  Question question = log_of_amounts(exponential_amount, 300, 4);
  const auto largest = std::max_element(question.history.pulls.begin(), question.history.pulls.end(),
                                        [](const PastPull& a, const PastPull& b) { return *a.reward < *b.reward; });
  std::iter_swap(question.history.pulls.begin(), largest);  // nothing before it tells what is usual
  EXPECT_NO_THROW(check_rewards(question));
}

}  // namespace
}  // namespace longrun
