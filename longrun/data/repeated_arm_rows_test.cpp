#include "longrun/data/repeated_arm_rows.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace longrun {
namespace {

History three_arms(int rows, std::uint64_t seed, int times_of_first, bool are_yes_no = false) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> noise(0.5, 0.1);
  History history{.arm_names = {"north", "south", "east"}, .pulls = {}};
  for (int row = 0; row < rows; ++row) {
    const auto arm = static_cast<Arm>(random() % 3);
    const double drawn = noise(random);
    const double reward = are_yes_no ? std::round(drawn) : std::round(1000 * drawn) / 1000;
    for (int copy = 0; copy < (arm == 0 ? times_of_first : 1); ++copy)
      history.pulls.push_back(
          {.arm = arm, .reward = reward, .line = static_cast<std::int64_t>(history.pulls.size()) + 2});
  }
  return history;
}

TEST(RowsOfAnArm, ThatAllOccurTwiceOrMoreAreNamed) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    for (const int times : {2, 3}) {
      for (const bool are_yes_no : {false, true}) {
        const History history = three_arms(200, seed, times, are_yes_no);
        std::size_t first = 0;
        while (history.pulls[first].arm != 0) ++first;
        EXPECT_EQ(repeated_arm_row_warnings("past.csv", history),
                  std::vector<std::string>{
                      "past.csv: every row of arm 'north' occurs " + std::string(times == 2 ? "twice" : "3 times") +
                      ", the first in line " + std::to_string(first + 2) + " and line " + std::to_string(first + 3) +
                      "; every row counts as a pull. If the rows were joined with a table, it may have the arm more "
                      "than once"})
            << seed;
      }
    }
  }
}

TEST(RowsOfAnArm, AreNotSeenTwiceByChance) {
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    for (const bool are_yes_no : {false, true})
      EXPECT_TRUE(
          repeated_arm_row_warnings("past.csv", three_arms(20 + static_cast<int>(seed), seed, 1, are_yes_no)).empty());
  }
}

TEST(RowsOfAnArm, AreNotSeenTwiceIfTheyAreConstantOrOnlyGrow) {
  History history{.arm_names = {"north", "south"}, .pulls = {}};
  for (int row = 0; row < 400; ++row)
    history.pulls.push_back({.arm = row % 2, .reward = row % 2 == 0 ? 0.5 : std::floor(row / 4.0)});
  EXPECT_TRUE(repeated_arm_row_warnings("past.csv", history).empty());
}

}  // namespace
}  // namespace longrun
