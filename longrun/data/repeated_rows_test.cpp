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
