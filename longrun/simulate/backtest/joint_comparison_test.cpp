#include "longrun/simulate/backtest/joint_comparison.h"

#include <gtest/gtest.h>

namespace longrun {
namespace {

/// Returns a comparison of two policies that differ by 1, with deviations of the second from -1 to 1 and level logs
/// that differ by 0.01 to 1.
JointComparison two_policies() {
  JointComparison comparison{.best = 0, .rewards = {3, 2}, .errors = {0, 0}, .deviations = {}, .level = {}};
  for (int log = 1; log <= 100; ++log) {
    comparison.deviations.push_back({0, log % 2 == 0 ? 0.1 : -0.1});
    comparison.level.push_back({5, 5 - 0.01 * log});
  }
  return comparison;
}

TEST(JointComparison, ByChanceIsTheDifferenceThatOneOfTwentyLevelLogsExceeds) {
  EXPECT_NEAR(joint_evidence(two_policies()).by_chance, 0.96, 1e-12)
      << "4 of 100 exceed it; with the log itself, 5 of 101";
  JointComparison few = two_policies();
  few.level.resize(20);
  EXPECT_NEAR(joint_evidence(few).by_chance, 0.20, 1e-12) << "the largest";
}

TEST(JointComparison, ADifferenceMustExceedWhatChanceGives) {
  JointComparison comparison = two_policies();
  EXPECT_EQ(joint_evidence(comparison).clearly_behind, (std::vector<bool>{false, true}));
  comparison.rewards[1] = 2.05;  // 0.95 behind: 9 standard deviations, but less than 0.96
  EXPECT_EQ(joint_evidence(comparison).clearly_behind, (std::vector<bool>{false, false}));
}

TEST(JointComparison, ADifferenceMustExceedItsErrorWithThatOfTheSimulation) {
  JointComparison comparison = two_policies();
  comparison.errors[1] = 0.5;  // a difference of 1 is less than 1.96 hypot(0.1, 0.5)
  EXPECT_TRUE(joint_evidence(comparison).clearly_behind[1]);
  comparison.errors[1] = 0.51;
  EXPECT_FALSE(joint_evidence(comparison).clearly_behind[1]);
}

TEST(JointComparison, BiasCountsAgainstADifference) {
  JointComparison comparison = two_policies();
  for (auto& log : comparison.deviations) log[1] -= 0.05;  // resampled logs exaggerate the difference by 0.05
  EXPECT_FALSE(joint_evidence(comparison).clearly_behind[1]) << "0.95 is less than 0.96";
  for (auto& log : comparison.deviations) log[1] += 0.1;
  EXPECT_TRUE(joint_evidence(comparison).clearly_behind[1]);
  comparison.rewards[1] = 2.05;  // 1 without the bias, but 0.95 on the log
  EXPECT_FALSE(joint_evidence(comparison).clearly_behind[1]);
}

TEST(JointComparison, MorePoliciesNeedALargerDifference) {
  JointComparison comparison = two_policies();
  comparison.errors[1] = 0.48;
  ASSERT_TRUE(joint_evidence(comparison).clearly_behind[1]);
  // Eighteen more policies, each of which has its own 4 resampled logs with an error of 5 standard deviations.
  for (std::size_t policy = 2; policy < 20; ++policy) {
    comparison.rewards.push_back(3);
    comparison.errors.push_back(0);
    for (std::size_t log = 0; log < 100; ++log) {
      comparison.deviations[log].push_back(log / 4 == policy ? 1 : 0);
      comparison.level[log].push_back(5);
    }
  }
  EXPECT_FALSE(joint_evidence(comparison).clearly_behind[1]) << "some pair is that far off in most logs";
}

TEST(JointComparison, WithoutAnyErrorEveryDifferenceCounts) {
  const JointComparison exact{.best = 1,
                              .rewards = {0.5, 0.5 + 1e-6, 0.5 + 1e-6},
                              .errors = {0, 0, 0},
                              .deviations = std::vector(20, std::vector<double>(3, 0)),
                              .level = std::vector(20, std::vector<double>(3, 0.5))};
  EXPECT_EQ(joint_evidence(exact).clearly_behind, (std::vector<bool>{true, false, false}));
}

}  // namespace
}  // namespace longrun
