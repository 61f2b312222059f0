#include "longrun/data/totals_row.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <random>
#include <string>
#include <utility>
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

TEST(TotalsRow, AreRecognisedAmongManyRowsInTimeProportionalToThem) {
  constexpr std::size_t kRows = 100'000;
  History history{.arm_names = {"north", "mean"}, .pulls = {}};
  for (std::size_t i = 0; i < 2 * kRows; ++i) {
    const double reward = i >= kRows ? 0.5 : static_cast<double>(i % 2);
    history.pulls.push_back({i < kRows ? 0 : 1, reward, static_cast<std::int64_t>(i) + 2});
  }
  EXPECT_EQ(totals_row_warnings("past.csv", history),
            std::vector<std::string>{
                "past.csv: 100000 rows may be totals of other rows: line 100002 (arm 'mean'), line 100003 (arm "
                "'mean'), line 100004 (arm 'mean') and 99997 more; the reward of line 100002 is the mean of the rows "
                "above it; every row counts as a pull"});
  history.pulls[0].reward = 0.5;
  history.pulls[1].reward = 0.5;
  const std::vector<std::string> warnings = totals_row_warnings("past.csv", history);
  ASSERT_EQ(warnings.size(), 1U);
  EXPECT_EQ(warnings[0].find("the reward of"), std::string::npos) << "another arm has this reward too";
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

TEST(TotalsRow, IsNoneOfNoPulls) {
  EXPECT_TRUE(totals_row_warnings("past.csv", {.arm_names = {"total", "b"}, .pulls = {}}).empty());
}

/// A label and a reward.
using LabelledReward = std::pair<std::string, double>;

std::vector<std::string> totals_in(const std::vector<LabelledReward>& rows) {
  History history;
  for (const auto& [label, reward] : rows) {
    const auto known = std::find(history.arm_names.begin(), history.arm_names.end(), label);
    const auto arm = static_cast<Arm>(known - history.arm_names.begin());
    if (known == history.arm_names.end()) history.arm_names.push_back(label);
    history.pulls.push_back({arm, reward, static_cast<std::int64_t>(history.pulls.size()) + 2});
  }
  return totals_row_warnings("past.csv", history);
}

/// Returns rows of two arms in no order, with yes/no rewards or amounts.
std::vector<LabelledReward> labelled_pulls(std::uint64_t seed, std::size_t rows, bool yes_or_no) {
  std::mt19937_64 random(seed);
  std::vector<LabelledReward> made;
  for (std::size_t row = 0; row < rows; ++row) {
    const double reward = yes_or_no ? static_cast<double>(random() % 3 == 0) : static_cast<double>(random() % 900) / 10;
    made.emplace_back(random() % 2 == 0 ? "north" : "south", reward);
  }
  return made;
}

double sum_of(const std::vector<LabelledReward>& rows, std::size_t begin, std::size_t end) {
  double sum = 0;
  for (std::size_t row = begin; row < end; ++row) sum += rows[row].second;
  return sum;
}

TEST(TotalsRow, MayBeTheFirstOrAnyOther) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    for (const char* label : {"Total", "Summe", "all regions"}) {
      std::vector<LabelledReward> rows = labelled_pulls(seed, 40, false);
      const LabelledReward total{label, sum_of(rows, 0, 40)};
      std::vector<LabelledReward> first = rows;
      first.insert(first.begin(), total);
      EXPECT_EQ(totals_in(first),
                std::vector<std::string>{
                    std::string("past.csv: line 2, the only row of arm '") + label +
                    "', may be a total of the rows below it: its reward is the sum of theirs; every row counts as a "
                    "pull"})
          << seed;
      rows.insert(rows.begin() + 20, total);
      ASSERT_EQ(totals_in(rows).size(), 1U) << seed;
      EXPECT_NE(totals_in(rows)[0].find("line 22, the only row of arm"), std::string::npos) << totals_in(rows)[0];
    }
  }
}

TEST(TotalsRow, MayBeOneOfSeveralSubtotals) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    for (const bool yes_or_no : {true, false}) {
      for (const std::string label : {"Total Q", "Subtotal", "Q"}) {
        const std::vector<LabelledReward> rows = labelled_pulls(seed, 80, yes_or_no);
        std::vector<LabelledReward> file;
        for (std::size_t quarter = 0; quarter < 4; ++quarter) {
          const std::size_t begin = 20 * quarter;
          file.insert(file.end(), rows.begin() + static_cast<std::ptrdiff_t>(begin),
                      rows.begin() + static_cast<std::ptrdiff_t>(begin) + 20);
          file.emplace_back(label == "Subtotal" ? label : label + std::to_string(quarter + 1),
                            sum_of(rows, begin, begin + 20));
        }
        const std::vector<std::string> warnings = totals_in(file);
        ASSERT_EQ(warnings.size(), label == "Q" && yes_or_no && warnings.empty() ? 0U : 1U) << label << ' ' << seed;
        if (warnings.empty()) continue;
        if (label == "Total Q" && !yes_or_no) {
          EXPECT_EQ(warnings[0],
                    "past.csv: 4 rows may be totals of other rows: line 22 (arm 'Total Q1'), line 43 (arm 'Total Q2'), "
                    "line 64 (arm 'Total Q3') and 1 more; the reward of line 22 is the sum of the rows above it; every "
                    "row counts as a pull");
        }
      }
    }
  }
}

/// Returns a reward as a program writes it with so many decimals.
double rounded(double reward, int decimals) {
  const double unit = std::pow(10, decimals);
  return std::round(reward * unit) / unit;
}

TEST(TotalsRow, IsAlwaysOneIfItsArmIsCalledSoWhateverItsReward) {
  constexpr std::size_t kRows = 30;  // between two totals
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    for (const bool yes_or_no : {true, false}) {
      for (const char* label : {"Total", "Mean", "Average", "Subtotal", "Gesamt", "Avg", "sum"}) {
        for (int decimals = 0; decimals <= 3; ++decimals) {
          const std::vector<LabelledReward> rows = labelled_pulls(seed, 5 * kRows, yes_or_no);
          std::vector<LabelledReward> file;
          for (std::size_t row = 0; row < rows.size(); ++row) {
            file.push_back(rows[row]);
            if ((row + 1) % kRows != 0) continue;
            file.emplace_back(label, rounded(sum_of(rows, row + 1 - kRows, row + 1) / kRows, decimals));
          }
          const std::vector<std::string> warnings = totals_in(file);
          ASSERT_EQ(warnings.size(), 1U) << label << ' ' << decimals << ' ' << seed;
          EXPECT_NE(warnings[0].find("5 rows may be totals of other rows: line 32 (arm"), std::string::npos);
          if (yes_or_no && decimals > 1) {
            EXPECT_NE(warnings[0].find("is the mean of the rows"), std::string::npos) << warnings[0];
          }
        }
      }
    }
  }
  EXPECT_EQ(totals_in({{"Total", 1}, {"b", 1}, {"b", 1}, {"b", 0}, {"Total", 5}}).size(), 1U);
  EXPECT_EQ(totals_in({{"a", 1}, {"Total", 9}, {"b", 4}, {"c", 2}}).size(), 1U) << "no arm has two rows";
  EXPECT_TRUE(totals_in({{"Total", 1}, {"Subtotal", 4}, {"Total", 3}, {"Subtotal", 7}}).empty()) << "no other arms";
}

TEST(TotalsRow, IsTheMeanBesideTheMaximumOfEachBlock) {
  const std::vector<LabelledReward> rows = labelled_pulls(1, 80, false);
  std::vector<LabelledReward> file;
  for (std::size_t row = 0; row < rows.size(); ++row) {
    file.push_back(rows[row]);
    if ((row + 1) % 20 != 0) continue;
    file.emplace_back("Mean", rounded(sum_of(rows, row - 19, row + 1) / 20, 1));
    file.emplace_back("Max", 89.9);
  }
  EXPECT_EQ(totals_in(file).size(), 1U);
}

TEST(TotalsRow, OfAnArmHasItsLabel) {
  const std::vector<LabelledReward> rows{{"north", 1}, {"north", 4}, {"North total", 7}, {"south", 2}, {"south", 1}};
  EXPECT_EQ(totals_in(rows).size(), 1U) << "also if its reward is another one";
  EXPECT_TRUE(totals_in({{"north", 1}, {"north", 4}, {"Total Energies", 7}, {"south", 2}, {"south", 1}}).empty());
}

TEST(TotalsRow, IsNoneOfArmsThatAreWaysToSummarise) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    std::mt19937_64 random(seed);
    std::vector<LabelledReward> rows;
    for (int row = 0; row < 40; ++row) {
      constexpr std::array<const char*, 4> kLabels{"mean", "median", "max", "all"};
      rows.emplace_back(kLabels[random() % kLabels.size()], static_cast<double>(random() % 1000) / 10);
    }
    EXPECT_TRUE(totals_in(rows).empty()) << seed;
  }
}

TEST(TotalsRow, IsNotSeenInNewArmsThatWerePulledOnce) {
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    std::mt19937_64 random(seed);
    std::vector<LabelledReward> rows = labelled_pulls(seed, 60, seed % 2 == 0);
    for (int arm = 0; arm < 4; ++arm) {
      const double reward =
          seed % 2 == 0 ? static_cast<double>(random() % 2) : static_cast<double>(random() % 900) / 10;
      rows.emplace(rows.begin() + static_cast<std::ptrdiff_t>(random() % rows.size()), "new " + std::to_string(arm),
                   reward);
    }
    EXPECT_TRUE(totals_in(rows).empty()) << seed;
  }
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
