#include "longrun/data/totals_row.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <random>
#include <string>
#include <vector>

namespace longrun {
namespace {

/// Returns the warnings about a file whose rows take turns between two arms and end with a row of a third one.
std::vector<std::string> warnings_of_last(const std::string& label, const std::vector<double>& above,
                                          std::optional<double> last) {
  History history{.arm_names = {"north", "south", label}, .pulls = {}};
  for (std::size_t i = 0; i < above.size(); ++i)
    history.pulls.push_back({static_cast<Arm>(i % 2), above[i], static_cast<std::int64_t>(i) + 2});
  history.pulls.push_back({2, last, static_cast<std::int64_t>(above.size()) + 2});
  return totals_row_warnings("past.csv", history);
}

TEST(TotalsRow, IsTheLastRowIfItsRewardIsTheSumOrTheMeanOfThoseAbove) {
  const std::vector<double> above{45.1, 53.2, 43.4, 64.7, 50.8, 58.9};
  EXPECT_EQ(
      warnings_of_last("all", above, 316.1),
      std::vector<std::string>{"past.csv: line 8, the only row of arm 'all', may be a total of the rows above it: "
                               "its reward is the sum of theirs; every row counts as a pull"});
  EXPECT_EQ(
      warnings_of_last("all", above, 316.1 / 6),
      std::vector<std::string>{"past.csv: line 8, the only row of arm 'all', may be a total of the rows above it: "
                               "its reward is the mean of theirs; every row counts as a pull"});
  EXPECT_TRUE(warnings_of_last("all", above, 316.2).empty());
}

TEST(TotalsRow, IsTheLastRowIfItsArmIsCalledSo) {
  for (const char* label : {"Total", "GESAMT", "Mittelwert", "sum"}) {
    EXPECT_EQ(warnings_of_last(label, {1, 2}, 7),
              std::vector<std::string>{std::string("past.csv: line 4, the only row of arm '") + label +
                                       "', may be a total of the rows above it; every row counts as a pull"});
    EXPECT_EQ(warnings_of_last(label, {1, 2}, std::nullopt).size(), 1U);
  }
  EXPECT_TRUE(warnings_of_last("Totally", {1, 2}, 7).empty());
}

TEST(TotalsRow, IsNoRowOfAnArmWithOtherRows) {
  History history{.arm_names = {"total", "b"}, .pulls = {{0, 1.0}, {1, 1.0}, {1, 1.0}, {1, 1.0}, {1, 1.0}, {0, 5.0}}};
  EXPECT_TRUE(totals_row_warnings("past.csv", history).empty());
  history.pulls.clear();
  EXPECT_TRUE(totals_row_warnings("past.csv", history).empty());
}

TEST(TotalsRow, IsNotSeenInRewardsThatAreEqualByChance) {
  std::mt19937_64 random(1);
  for (int log = 0; log < 200; ++log) {
    std::vector<double> clicks;
    std::vector<double> stars;
    for (int row = 0; row < 40; ++row) {
      clicks.push_back(random() % 20 == 0 ? 1 : 0);
      stars.push_back(1 + static_cast<double>(random() % 5));
    }
    EXPECT_TRUE(warnings_of_last("new", clicks, random() % 2 == 0 ? 1 : 0).empty()) << log;
    EXPECT_TRUE(warnings_of_last("new", stars, 1 + static_cast<double>(random() % 5)).empty()) << log;
    EXPECT_TRUE(warnings_of_last("new", std::vector<double>(40, 0), 0).empty()) << "all are the same";
  }
}

}  // namespace
}  // namespace longrun
