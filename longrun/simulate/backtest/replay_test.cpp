#include "longrun/simulate/backtest/replay.h"

#include <gtest/gtest.h>

#include <memory>

#include "longrun/simulate/play.h"
#include "tests/simulated_log.h"

namespace longrun {
namespace {

Setting setting_of(const Bandit& bandit, Pulls horizon) {
  return {.arms = bandit.arm_count(), .horizon = horizon, .noise = bandit.noise, .seed = 4};
}

TEST(ReplayOfColumns, IsTheRunOnTheSameRewards) {
  // The log has every arm's rewards up to the horizon, in any order, so no arm is exhausted.
  const Bandit bandit = three_hills(Gaussian{.sd = 0.1});
  const Setting setting = setting_of(bandit, 400);
  const std::vector<LoggedArm> arms = logged_arms(column_log(bandit, 7, 400), {});
  const auto table = std::make_shared<const ObservationTable>(observe_all(bandit, 7, 0, 400));
  for (const PolicyEntry& entry : policy_catalog()) {
    if (entry.traits.needs_plan) continue;
    const PolicyChoice policy(entry.name);
    const Replay replay = replay_columns(policy, arms, setting);
    EXPECT_FALSE(replay.exhausted);
    ASSERT_EQ(replay.rewards.size(), 400U);
    // The sum of the rewards that the play loop's pulls pay.
    const Pulls horizon = 400;
    const RunResult run = play_on(policy, World(bandit, table), setting, {&horizon, 1})[0];
    double expected = 0;
    for (std::size_t arm = 0; arm < 3; ++arm) {
      for (Pulls pull = 0; pull < run.pulls[arm]; ++pull) expected += (*table)[arm][static_cast<std::size_t>(pull)];
    }
    EXPECT_NEAR(replay.mean(400) * 400, expected, 1e-9) << entry.name;
  }
}

TEST(ReplayOfColumns, EndsWithTheFirstArmThatHasNoMoreRewards) {
  const Bandit bandit = three_levels(NoNoise{});
  History history = column_log(bandit, 1, 40);
  const std::vector<LoggedArm> arms = logged_arms(history, {});
  const Replay replay = replay_columns(PolicyChoice("greedy"), arms, setting_of(bandit, 500));
  ASSERT_TRUE(replay.exhausted);
  EXPECT_EQ(*replay.exhausted, 2) << "greedy stays with the best arm";
  EXPECT_GE(replay.rewards.size(), 40U);
  EXPECT_LE(replay.rewards.size(), 60U);
}

TEST(ReplayByRejection, IsUnbiasedIfRewardsDoNotDependOnPulls) {
  Bandit bandit = three_levels(Gaussian{.sd = 0.1});
  const Setting setting = setting_of(bandit, 1'000);
  double replayed = 0;
  double played = 0;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    const History history = random_log(bandit, seed, 1'500);
    const std::vector<LoggedArm> arms = logged_arms(history, {});
    const RejectionReplay result = replay_by_rejection(PolicyChoice("ucb"), history, arms, fit_log(arms), setting);
    ASSERT_GT(result.replay.rewards.size(), 300U);
    EXPECT_EQ(result.rows, 1'500);
    EXPECT_GT(result.mean_delay, 0);
    EXPECT_NEAR(result.age_effect, 0, 0.06) << "the arms are level";
    replayed += result.replay.mean(300) / 40;
    Setting other = setting_of(bandit, 300);
    other.seed = seed;
    played += play(PolicyChoice("ucb"), bandit, other).earned / 300 / 40;
  }
  EXPECT_NEAR(replayed, played, 0.006);
}

TEST(ReplayByRejection, StatesTheErrorThatRisingArmsCause) {
  Bandit bandit = three_levels(NoNoise{});
  bandit.arms[0] = Hill{.start = 0.65, .top = 1, .peak = 400, .rise = 1};
  const History history = random_log(bandit, 3, 450);
  const std::vector<LoggedArm> arms = logged_arms(history, {});
  const Setting setting = setting_of(bandit, 100);
  const PolicyChoice policy("greedy");
  const RejectionReplay rejection = replay_by_rejection(policy, history, arms, fit_log(arms), setting);
  const Replay columns = replay_columns(policy, arms, setting);
  ASSERT_EQ(rejection.replay.rewards.size(), 100U);
  ASSERT_EQ(columns.rewards.size(), 100U);
  EXPECT_GT(rejection.replay.mean(100), columns.mean(100) + 0.001) << "it is paid rewards of later pulls";
  // Greedy stays with the rising arm in both, and the curves are exact.
  EXPECT_NEAR(rejection.replay.mean(100) - rejection.age_effect, columns.mean(100), 1e-6);
}

TEST(RandomChoices, AreAcceptedAndOthersAreNot) {
  const Bandit bandit = three_levels(NoNoise{});
  int rejected = 0;
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    const RandomChoiceTest test = test_random_choices(random_log(bandit, seed, 300));
    ASSERT_TRUE(test.uniform && test.independent);
    rejected += (*test.uniform < 0.05) + (*test.independent < 0.05);
  }
  EXPECT_GE(rejected, 2);
  EXPECT_LE(rejected, 20) << "about 10 of 200 are expected";
  const RandomChoiceTest blocks = test_random_choices(column_log(bandit, 1, 100));
  EXPECT_NEAR(*blocks.uniform, 1, 1e-9);
  EXPECT_LT(*blocks.independent, 1e-6) << "one arm after the other";
  History skewed = random_log(bandit, 1, 300);
  for (PastPull& pull : skewed.pulls) pull.arm = pull.arm == 2 ? 1 : pull.arm;
  EXPECT_LT(*test_random_choices(skewed).uniform, 1e-6) << "an arm that is never chosen";
  EXPECT_FALSE(test_random_choices({.arm_names = {"", ""}, .pulls = {{0, 1}, {1, 1}}}).uniform) << "too short";
}

TEST(RandomChoices, ChiSquareIsThatOfATable) {
  // 30 and 70 rows of two arms: (30 - 50)^2 / 50 * 2 = 16 with 1 degree of freedom, p = 6.33e-5.
  History history{.arm_names = {"", ""}, .pulls = {}};
  for (int i = 0; i < 100; ++i) history.pulls.push_back({i < 30 ? 0 : 1, 0});
  EXPECT_NEAR(*test_random_choices(history).uniform, 6.334e-5, 1e-8);
}

}  // namespace
}  // namespace longrun
