#include "longrun/decide/advice/unit_change.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <random>

#include "longrun/decide/advice/explanation.h"
#include "longrun/decide/advice/recommendation.h"
#include "tests/long_tests.h"

namespace longrun {
namespace {

constexpr int kRowsOfUnits = 240;

/// Returns a log of four arms at levels near each other. The noise is a tenth of the rewards.
History log_of_units(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  History history{.arm_names = {"a", "b", "c", "d"}, .pulls = {}};
  for (int row = 0; row < kRowsOfUnits; ++row) {
    const double mean = 0.4 + 0.05 * (row % 4) + 0.1 * row / kRowsOfUnits;
    history.pulls.push_back({row % 4, mean * (1 + 0.1 * std::normal_distribution<double>()(random)), row + 2});
  }
  return history;
}

void multiply(History& history, Arm arm, std::size_t from, double factor) {
  for (std::size_t i = from; i < history.pulls.size(); ++i) {
    if (history.pulls[i].arm == arm) history.pulls[i].reward = factor * *history.pulls[i].reward;
  }
}

TEST(UnitChange, OfOneArmFromARowOnIsFound) {
  LONGRUN_SKIP_COUNTS_UNDER_SANITIZERS();
  for (const double factor : {10.0, 100.0, 1000.0, 0.1, 0.01}) {
    int found = 0;
    for (std::uint64_t seed = 0; seed < 200; ++seed) {
      History history = log_of_units(seed);
      multiply(history, 1, 80 + seed % 80, factor);
      const auto changes = find_unit_changes(history);
      if (changes.empty()) continue;
      ASSERT_EQ(changes.size(), 1U);
      EXPECT_EQ(changes[0].arm, 1);
      EXPECT_NEAR(changes[0].factor, factor, 1e-9 * factor);
      ASSERT_TRUE(changes[0].pull);
      EXPECT_LT(std::abs(static_cast<double>(*changes[0].pull) - static_cast<double>(80 + seed % 80)), 4);
      ++found;
    }
    EXPECT_GE(found, 150) << factor << ", arms grow meanwhile";
    if (long_tests()) fmt::print("factor {}: {} of 200\n", factor, found);
  }
}

TEST(UnitChange, OfAllRewardsOfAnArmIsFoundIfOtherArmsShareALevel) {
  LONGRUN_SKIP_COUNTS_UNDER_SANITIZERS();
  for (const double factor : {10.0, 100.0, 1000.0, 0.01}) {
    int found = 0;
    for (std::uint64_t seed = 0; seed < 200; ++seed) {
      History history = log_of_units(seed);
      multiply(history, 2, 0, factor);
      const auto changes = find_unit_changes(history);
      if (changes.empty()) continue;
      EXPECT_EQ(changes[0].arm, 2);
      EXPECT_FALSE(changes[0].pull);
      EXPECT_NEAR(changes[0].factor, factor, 1e-9 * factor);
      ++found;
    }
    EXPECT_GE(found, 190) << factor;
  }
}

TEST(UnitChange, IsNotSeenInLogsWithoutOne) {
  LONGRUN_SKIP_COUNTS_UNDER_SANITIZERS();
  int unchanged = 0;
  int jumps = 0;
  int proportional = 0;
  int skewed = 0;
  int growing = 0;
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    std::mt19937_64 random(seed);
    History history = log_of_units(seed);
    unchanged += find_unit_changes(history).empty() ? 0 : 1;
    // A true jump by any factor from 2 to 200 keeps the noise.
    const double factor = 2 * std::pow(100, std::uniform_real_distribution<double>()(random));
    for (std::size_t i = 120; i < history.pulls.size(); ++i)
      if (history.pulls[i].arm == 1) history.pulls[i].reward = *history.pulls[i].reward + 0.45 * (factor - 1);
    jumps += find_unit_changes(history).empty() ? 0 : 1;
    history = log_of_units(seed);
    multiply(history, 1, 120, factor);
    proportional += find_unit_changes(history).empty() ? 0 : 1;
    for (PastPull& pull : history.pulls)
      pull.reward =
          (1 + pull.arm) * std::lognormal_distribution<double>(5, 0.2 + 0.002 * static_cast<double>(seed))(random);
    skewed += find_unit_changes(history).empty() ? 0 : 1;
    for (std::size_t i = 0; i < history.pulls.size(); ++i) {
      const double part = static_cast<double>(i) / kRowsOfUnits;
      const double mean =
          0.05 + (0.1 + 0.25 * history.pulls[i].arm) * (1 - std::exp(-part * static_cast<double>(seed % 40)));
      history.pulls[i].reward = mean * (1 + 0.05 * std::normal_distribution<double>()(random));
    }
    growing += find_unit_changes(history).empty() ? 0 : 1;
  }
  EXPECT_EQ(unchanged, 0);
  EXPECT_LE(jumps, 8) << "of 400";
  EXPECT_LE(proportional, 32) << "of 400: arbitrary factors that are near a power of ten";
  EXPECT_LE(skewed, 8);
  EXPECT_LE(growing, 8);
  if (long_tests())
    fmt::print("{} jumps, {} proportional, {} skewed, {} growing\n", jumps, proportional, skewed, growing);
}

TEST(Cautions, NameAnArmInAnotherUnit) {
  Question question{.history = log_of_units(1), .horizon = 600, .scale = {0, 1000}};
  const auto said = [&] {
    std::string all;
    for (const std::string& sentence : cautions(question, recommend(question))) all += sentence + "\n";
    return all;
  };
  EXPECT_EQ(said().find("another unit"), std::string::npos) << said();
  multiply(question.history, 1, 120, 100);
  EXPECT_NE(said().find("The rewards of arm 'b' change by a factor of 100 at line 123, and their noise as well"),
            std::string::npos)
      << said();
  question.history = log_of_units(1);
  multiply(question.history, 2, 0, 100);
  EXPECT_NE(said().find("The rewards of arm 'c' are about 100 times those of all other arms, and so is their noise"),
            std::string::npos)
      << said();
}

}  // namespace
}  // namespace longrun
