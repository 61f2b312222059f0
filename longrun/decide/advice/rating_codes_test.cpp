#include "longrun/decide/advice/rating_codes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <random>

namespace longrun {
namespace {

template <class Draw>
History log_of_ratings(std::uint64_t seed, int rows, Draw draw) {
  std::mt19937_64 random(seed);
  History history{.arm_names = {"a", "b"}, .pulls = {}};
  for (int row = 0; row < rows; ++row) history.pulls.push_back({row % 2, static_cast<double>(draw(random)), row + 2});
  return history;
}

constexpr auto kRating = [](std::mt19937_64& random) { return std::uniform_int_distribution<int>(1, 5)(random); };

TEST(RatingCodes, ThatRepeatAreNamedWithTheirLines) {
  for (const double code : {-1.0, -99.0, 9.0, 99.0, 999.0}) {
    History history = log_of_ratings(1, 200, kRating);
    for (const std::size_t pull : {11U, 90U, 120U, 121U}) history.pulls[pull].reward = code;
    const auto sentences = rating_cautions(history);
    ASSERT_EQ(sentences.size(), 1U) << code;
    EXPECT_TRUE(sentences[0].starts_with("4 rewards are ")) << sentences[0];
    EXPECT_NE(sentences[0].find("(line 13, line 92, line 122, line 123); all other whole numbers are from 1 to 5."),
              std::string::npos)
        << sentences[0];
  }
}

TEST(RatingCodes, AFewRewardsThatAreNoWholeNumbersAreNamed) {
  History history = log_of_ratings(2, 200, kRating);
  history.pulls[40].reward = 3.7;
  ASSERT_EQ(rating_cautions(history).size(), 1U);
  EXPECT_EQ(rating_cautions(history)[0],
            "1 of 200 rewards is no whole number (line 42), unlike all others. If rewards are ratings or counts, "
            "correct it.");
}

TEST(RatingCodes, OfSeveralKindsAreOneSentence) {
  History history = log_of_ratings(3, 200, kRating);
  for (const std::size_t pull : {11U, 90U, 120U, 121U}) history.pulls[pull].reward = 99;
  for (const std::size_t pull : {12U, 91U, 130U}) history.pulls[pull].reward = -9;
  history.pulls[40].reward = 3.7;
  const auto sentences = rating_cautions(history);
  ASSERT_EQ(sentences.size(), 2U);
  EXPECT_EQ(sentences[0],
            "3 rewards are -9 (line 14, line 93, line 132), 4 are 99 (line 13, line 92, line 122, line 123); all other "
            "whole numbers are from 1 to 5. If -9 or 99 mean that there is no answer, leave these rewards empty.");
  EXPECT_TRUE(sentences[1].starts_with("1 of 200 rewards is no whole number (line 42)")) << sentences[1];
}

TEST(RatingCodes, AreNotSeenInNumbersOnAGridOrThatBecomeRarer) {
  for (const double step : {2.0, 5.0, 10.0, 25.0}) {
    for (const int values : {4, 6, 11}) {
      for (std::uint64_t seed = 0; seed < 20; ++seed) {
        const auto score = [&](std::mt19937_64& random) {
          return step * std::uniform_int_distribution<int>(0, values - 1)(random);
        };
        EXPECT_EQ(rating_cautions(log_of_ratings(seed, 300, score)).size(), 0U) << step << ", " << values;
      }
    }
  }
  const auto count = [](std::mt19937_64& random) {
    constexpr double kCounts[] = {0, 0, 0, 0, 1, 1, 1, 2, 2, 6, 12};
    return kCounts[std::uniform_int_distribution<std::size_t>(0, std::size(kCounts) - 1)(random)];
  };
  EXPECT_EQ(rating_cautions(log_of_ratings(4, 300, count)).size(), 0U);
}

TEST(RatingCodes, AreNotSeenInRatingsAndCounts) {
  int said = 0;
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    for (const int rows : {60, 300, 2000}) {
      const auto poisson = [&](std::mt19937_64& random) {
        return std::poisson_distribution<int>(0.3 + 0.02 * static_cast<double>(seed))(random);
      };
      const auto geometric = [&](std::mt19937_64& random) {
        return std::geometric_distribution<int>(0.2 + 0.002 * static_cast<double>(seed))(random);
      };
      const auto yes_no = [](std::mt19937_64& random) { return std::bernoulli_distribution(0.2)(random) ? 1 : 0; };
      const auto gaussian = [](std::mt19937_64& random) { return std::normal_distribution<double>(3, 1)(random); };
      said += rating_cautions(log_of_ratings(seed, rows, kRating)).empty() ? 0 : 1;
      said += rating_cautions(log_of_ratings(seed, rows, poisson)).empty() ? 0 : 1;
      said += rating_cautions(log_of_ratings(seed, rows, geometric)).empty() ? 0 : 1;
      said += rating_cautions(log_of_ratings(seed, rows, yes_no)).empty() ? 0 : 1;
      said += rating_cautions(log_of_ratings(seed, rows, gaussian)).empty() ? 0 : 1;
    }
  }
  EXPECT_LE(said, 9) << "of 4500 logs";
}

}  // namespace
}  // namespace longrun
