#include "longrun/data/repeated_rows.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <random>

namespace longrun {
namespace {

/// Returns rows of three arms, from line 2 on, whose rewards have two decimals.
std::vector<PastPull> noisy_rows(int rows, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> noise(0.5, 0.1);
  std::vector<PastPull> pulls;
  for (int row = 0; row < rows; ++row)
    pulls.push_back({static_cast<Arm>(random() % 3), std::round(100 * noise(random)) / 100});
  return pulls;
}

std::vector<std::string> warnings_about(std::vector<PastPull> pulls) {
  for (std::size_t i = 0; i < pulls.size(); ++i) pulls[i].line = static_cast<std::int64_t>(i) + 2;
  return repeated_row_warnings("past.csv", pulls);
}

TEST(RepeatedRows, OfABlockAnywhereAreNamed) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    std::vector<PastPull> pulls = noisy_rows(100, seed);
    const std::vector<PastPull> block(pulls.begin() + 20, pulls.begin() + 32);
    pulls.insert(pulls.begin() + (seed % 2 == 0 ? 32 : 70), block.begin(), block.end());
    const std::vector<std::string> warnings = warnings_about(pulls);
    ASSERT_EQ(warnings.size(), 1U) << seed;
    // The rows next to the block can be equal by chance.
    EXPECT_TRUE(warnings[0].starts_with(seed % 2 == 0 ? "past.csv: from line 3" : "past.csv: from line 7"))
        << warnings[0];
    EXPECT_NE(warnings[0].find(", the rows repeat those from line 2"), std::string::npos) << warnings[0];
    EXPECT_TRUE(warnings[0].ends_with(" on exactly; every row counts as a pull")) << warnings[0];
  }
}

/// Returns rows of three arms with two decimals, and a block of so many rows of them once more; in `others`, the day of
/// each row, which has four rows, and an amount.
std::vector<PastPull> with_days(std::size_t block, std::uint64_t seed, std::vector<std::size_t>& others) {
  std::mt19937_64 random(seed);
  std::vector<PastPull> pulls = noisy_rows(400, seed);
  for (std::size_t row = 0; row < pulls.size(); ++row) others.push_back(1000 * (row / 4) + random() % 50);
  const auto begin = static_cast<std::ptrdiff_t>(40 + seed);
  const std::vector<PastPull> rows(pulls.begin() + begin, pulls.begin() + begin + static_cast<std::ptrdiff_t>(block));
  const std::vector<std::size_t> cells(others.begin() + begin,
                                       others.begin() + begin + static_cast<std::ptrdiff_t>(block));
  pulls.insert(pulls.begin() + 300, rows.begin(), rows.end());
  others.insert(others.begin() + 300, cells.begin(), cells.end());
  for (std::size_t i = 0; i < pulls.size(); ++i) pulls[i].line = static_cast<std::int64_t>(i) + 2;
  return pulls;
}

TEST(RepeatedRows, OfEightRowsAreNamedIfTheyAreEqualInAllColumns) {
  int proven_by_rewards = 0;
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    std::vector<std::size_t> others;
    const std::vector<PastPull> pulls = with_days(8, seed, others);
    const std::vector<std::string> warnings = repeated_row_warnings("past.csv", pulls, others);
    ASSERT_EQ(warnings.size(), 1U) << seed;
    EXPECT_TRUE(warnings[0].starts_with("past.csv: from line 302 to line 309, the rows repeat those from line " +
                                        std::to_string(42 + seed) + " on exactly"))
        << warnings[0];
    if (warnings_about(pulls).empty())
      EXPECT_TRUE(warnings[0].ends_with(" on exactly, in other columns too; every row counts as a pull"))
          << warnings[0];
    else
      ++proven_by_rewards;
    std::vector<std::size_t> seven;
    const std::vector<PastPull> fewer = with_days(7, seed, seven);
    EXPECT_TRUE(repeated_row_warnings("past.csv", fewer, seven).empty()) << seed;
  }
  EXPECT_LT(proven_by_rewards, 40) << "the other columns are needed";
}

TEST(RepeatedRows, OfEightRowsAreNamedWithoutOtherColumnsIfRewardsHaveManyDigits) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    std::mt19937_64 random(seed);
    std::vector<PastPull> pulls = noisy_rows(200, seed);
    for (PastPull& pull : pulls) pull.reward = *pull.reward + static_cast<double>(random() % 1000) / 1e5;
    const std::vector<PastPull> block(pulls.begin() + 50, pulls.begin() + 58);
    pulls.insert(pulls.begin() + 100, block.begin(), block.end());
    EXPECT_EQ(warnings_about(pulls),
              std::vector<std::string>{"past.csv: from line 102 to line 109, the rows repeat those from line 52 on "
                                       "exactly; every row counts as a pull"})
        << seed;
  }
}

TEST(RepeatedRows, AreNotSeenInLogsWithoutCopiesWhateverTheirOtherColumns) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    std::mt19937_64 random(seed);
    std::vector<PastPull> clicks;  // yes or no, also often no
    std::vector<PastPull> rare;
    std::vector<PastPull> constant;
    std::vector<PastPull> stars;
    std::vector<PastPull> prices;  // a function of another column
    std::vector<PastPull> measured;
    std::vector<std::size_t> days;  // of 20 rows
    std::vector<std::size_t> weekdays;
    std::vector<std::size_t> twice;  // two logs of the same days, one after the other
    std::vector<std::size_t> segments;
    for (int row = 0; row < 600; ++row) {
      const Arm arm = row % 2;
      const std::size_t segment = random() % 8;
      clicks.push_back({arm, static_cast<double>(random() % 2)});
      rare.push_back({arm, random() % 30 == 0 ? 1.0 : 0.0});
      constant.push_back({arm, 1.0});
      stars.push_back({arm, 1.0 + static_cast<double>(random() % 5)});
      prices.push_back({arm, 2.5 * static_cast<double>(segment)});
      measured.push_back({arm, 0.001 * static_cast<double>(random() % 1000)});
      days.push_back(static_cast<std::size_t>(row / 20));
      weekdays.push_back(static_cast<std::size_t>(row / 4 % 7));
      twice.push_back(static_cast<std::size_t>(row % 300));
      segments.push_back(segment);
    }
    for (const auto* pulls : {&clicks, &rare, &constant, &stars, &prices, &measured}) {
      for (const auto* others : {&days, &weekdays, &twice, &segments})
        EXPECT_TRUE(repeated_row_warnings("past.csv", *pulls, *others).empty()) << seed;
    }
  }
}

TEST(RepeatedRows, AreNotSeenWhereRoundedRewardsGrowWithoutNoiseAndOtherCellsFollowAPattern) {
  for (int slowness = 50; slowness < 400; slowness += 5) {
    std::vector<PastPull> pulls;
    std::vector<std::size_t> weekdays;
    for (int row = 0; row < 600; ++row) {
      const double grown = 0.2 * (1 - std::exp(-row / static_cast<double>(slowness)));
      pulls.push_back({row % 3, std::round(100 * (0.2 + 0.1 * (row % 3) + grown)) / 100});
      weekdays.push_back(static_cast<std::size_t>(row / 12 % 7));
    }
    EXPECT_TRUE(repeated_row_warnings("past.csv", pulls, weekdays).empty()) << slowness;
  }
}

TEST(RepeatedRows, OfAPartInWhichEachRowOccursTwiceAreNamed) {
  const std::vector<PastPull> once = noisy_rows(60, 3);
  std::vector<PastPull> pulls;
  for (std::size_t i = 0; i < once.size(); ++i) pulls.insert(pulls.end(), i >= 20 && i < 40 ? 2 : 1, once[i]);
  EXPECT_EQ(warnings_about(pulls),
            std::vector<std::string>{
                "past.csv: from line 22 to line 61, every row occurs twice; every row counts as a pull"});
}

TEST(RepeatedRows, OfAPartInWhichEachRowOccursTwiceAreNamedIfArmsAlternate) {
  std::vector<PastPull> once = noisy_rows(60, 3);
  for (std::size_t i = 0; i < once.size(); ++i) once[i].arm = static_cast<Arm>(i % 3);
  std::vector<PastPull> pulls;
  for (std::size_t i = 0; i < once.size(); ++i) pulls.insert(pulls.end(), i >= 20 && i < 40 ? 2 : 1, once[i]);
  EXPECT_EQ(warnings_about(pulls),
            std::vector<std::string>{
                "past.csv: from line 22 to line 61, every row occurs twice; every row counts as a pull"});
}

TEST(RepeatedRows, AreNotSeenWhereArmsThatAlternateEachOnlyGrowOrOnlyFall) {
  for (int seed = 0; seed < 50; ++seed) {
    std::vector<PastPull> pulls{{2, 0.5}};  // of a whole file of doubled rows, their rewards do not count
    for (int row = 0; row < 400; ++row) {   // two pulls of each arm per round
      const bool grows = row / 2 % 2 == 0;
      const int round = row / 4;
      const double part = 1 - std::exp(-round / (40.0 + seed));
      pulls.push_back({grows ? 0 : 1, std::round(100 * (grows ? 0.1 + 0.8 * part : 0.9 - 0.8 * part)) / 100});
    }
    EXPECT_TRUE(warnings_about(pulls).empty()) << seed;
  }
}

TEST(RepeatedRows, OfMoreBlocksThanAreComparedAreAtLeastSoMany) {
  constexpr std::size_t kRowsOfBlock = 12;
  const auto with_blocks = [&](std::size_t blocks) {
    const std::vector<PastPull> once = noisy_rows(static_cast<int>(blocks * kRowsOfBlock), 3);
    std::vector<PastPull> pulls = once;
    for (std::size_t block = blocks; block-- > 0;) {  // in the reverse order
      const auto begin = once.begin() + static_cast<std::ptrdiff_t>(block * kRowsOfBlock);
      pulls.insert(pulls.end(), begin, begin + kRowsOfBlock);
    }
    return warnings_about(pulls);
  };
  const auto names = [](const std::vector<std::string>& warnings, const char* text) {
    return warnings.size() == 1 && warnings[0].find(text) != std::string::npos;
  };
  EXPECT_TRUE(names(with_blocks(2), " on exactly (and 1 more block does); every row"));
  EXPECT_TRUE(names(with_blocks(50), " on exactly (and 49 more blocks do); every row"));
  EXPECT_TRUE(names(with_blocks(150), " on exactly (and at least 99 more blocks do); every row"));
}

TEST(RepeatedRows, AreNotSeenInLogsWithoutCopies) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    EXPECT_TRUE(warnings_about(noisy_rows(500, seed)).empty()) << seed;
    std::mt19937_64 random(seed);
    std::vector<PastPull> clicks;
    std::vector<PastPull> stars;
    std::vector<PastPull> growth;  // without noise, rounded: every reward occurs several times in a row
    std::vector<PastPull> weeks;   // a pattern of seven rows
    for (int row = 0; row < 400; ++row) {
      clicks.push_back({row % 2, random() % 20 == 0 ? 1.0 : 0.0});
      stars.push_back({static_cast<Arm>(random() % 2), 1.0 + static_cast<double>(random() % 5)});
      growth.push_back({0, std::round(100 * (0.9 - 0.8 * std::exp(-row / (40.0 + static_cast<double>(seed))))) / 100});
      weeks.push_back({row % 2, row == 25 ? 9.9 : 0.1 * (row % 7)});  // with a typo
    }
    EXPECT_TRUE(warnings_about(clicks).empty()) << seed;
    EXPECT_TRUE(warnings_about(stars).empty()) << seed;
    EXPECT_TRUE(warnings_about(growth).empty()) << seed;
    EXPECT_TRUE(warnings_about(weeks).empty()) << seed;
    weeks.resize(40);
    EXPECT_TRUE(warnings_about(weeks).empty()) << seed;
  }
}

}  // namespace
}  // namespace longrun
