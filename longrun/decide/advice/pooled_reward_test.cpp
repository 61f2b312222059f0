#include "longrun/decide/advice/pooled_reward.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "longrun/decide/advice/recommendation.h"
#include "tests/long_tests.h"

namespace longrun {
namespace {

OwnEstimate yes_no_arm(double mean, Pulls pulls) {
  OwnEstimate arm{.noise = {.sd = 0.4, .yes_or_no = true}};
  arm.reward_now = RewardNow{.mean = mean, .standard_error = 0.4 / std::sqrt(pulls), .pulls = pulls, .low = 0.1};
  return arm;
}

TEST(PooledReward, IsDrawnToTheOtherArmsTheMoreTheNoisierItIs) {
  const std::vector<OwnEstimate> arms{yes_no_arm(0.2, 400), yes_no_arm(0.22, 400), yes_no_arm(0.18, 400),
                                      yes_no_arm(0.6, 5), yes_no_arm(0.6, 400)};
  const std::vector<PooledReward> pooled = pooled_rewards(arms);
  EXPECT_NEAR(pooled[0].mean, 0.2, 0.01);
  EXPECT_LT(pooled[3].mean, 0.5);
  EXPECT_GT(pooled[3].mean, 0.3);
  EXPECT_NEAR(pooled[4].mean, 0.6, 0.02);
  for (const PooledReward& each : pooled) {
    EXPECT_LT(each.low, each.mean);
    EXPECT_LT(each.mean, each.high);
  }
}

TEST(PooledReward, OfOneArmAndOfExactRewardsIsItsOwn) {
  EXPECT_EQ(pooled_rewards(std::vector{yes_no_arm(0.6, 5)})[0].mean, 0.6);
  EXPECT_EQ(pooled_rewards(std::vector{yes_no_arm(0.6, 5)})[0].low, 0.1);
  std::vector<OwnEstimate> exact(2);
  exact[0].reward_now = RewardNow{.mean = 0.3, .low = 0.3, .high = 0.3};
  exact[1].reward_now = RewardNow{.mean = 0.7, .low = 0.7, .high = 0.7};
  EXPECT_EQ(pooled_rewards(exact)[1].mean, 0.7);
  EXPECT_EQ(pooled_rewards(exact)[1].high, 0.7);
  const std::vector<OwnEstimate> none{yes_no_arm(0, 5), yes_no_arm(0, 5)};
  EXPECT_EQ(pooled_rewards(none)[0].mean, 0);
}

/// Returns the share of 200 logs in which the range of the chosen arm contains what it pays. Arms pay from `low` to
/// `high`, yes or no.
double covered(int arms, int pulls, double low, double high) {
  constexpr int kLogs = 200;
  int inside = 0;
  for (int log = 0; log < kLogs; ++log) {
    std::mt19937_64 random(static_cast<std::uint64_t>(log));
    Question question{.history = {.arm_names = std::vector<std::string>(static_cast<std::size_t>(arms)), .pulls = {}},
                      .horizon = arms * pulls + 1'000};
    std::vector<double> rates;
    for (Arm arm = 0; arm < arms; ++arm) {
      rates.push_back(std::uniform_real_distribution<double>(low, high)(random));
      for (int pull = 0; pull < pulls; ++pull) {
        question.history.pulls.push_back({arm, std::bernoulli_distribution(rates.back())(random) ? 1.0 : 0.0});
      }
    }
    ArmReports reports({.arms = arms, .horizon = question.horizon},
                       PolicyChoice(kDefaultPolicy).estimating_noise().parameters());
    for (const PastPull& pull : question.history.pulls) reports.observe(pull.arm, *pull.reward);
    reports.update();
    Arm best = 0;  // by the rewards now, as an arm is chosen that seems to pay most
    const auto report = [&](Arm arm) {
      return *reports.report(arm, {.of_arm = 1'000, .of_index = 1'000}, ArmReports::Course::without).reward_now;
    };
    for (Arm arm = 1; arm < arms; ++arm) {
      if (report(arm).mean > report(best).mean) best = arm;
    }
    const double rate = rates[static_cast<std::size_t>(best)];
    inside += report(best).low <= rate && rate <= report(best).high ? 1 : 0;
  }
  return static_cast<double>(inside) / kLogs;
}

TEST(PooledReward, HoldsForTheArmWithTheLargestOfManyMeans) {
  LONGRUN_SKIP_COUNTS_UNDER_SANITIZERS();
  EXPECT_GE(covered(10, 100, 0.05, 0.1), 0.65);
  EXPECT_GE(covered(20, 50, 0.05, 0.1), 0.6);
  EXPECT_GE(covered(40, 20, 0.1, 0.3), 0.65);
  EXPECT_GE(covered(4, 400, 0.02, 0.05), 0.7);
}

}  // namespace
}  // namespace longrun
