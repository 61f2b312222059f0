#include "longrun/policy/ptrr.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

#include "longrun/simulate/play.h"
#include "tests/choices_by_definition.h"

namespace longrun {
namespace {

Arm ptrr_choice(const RewardsByArm& history, const std::vector<Arm>& order, double tau, double m, double a) {
  for (const Arm arm : order) {
    const auto& rewards = history[static_cast<std::size_t>(arm)];
    bool kept = true;
    for (std::size_t n = 1; n <= rewards.size(); ++n) {
      const double share = std::min(1.0, static_cast<double>(n - 1) / tau);
      if (rewards[n - 1] < m * std::pow(share, a) - 1e-12) kept = false;
    }
    if (kept) return arm;
  }
  return first_largest(history, [](const auto& rewards) { return rewards.back(); });
}

/// Returns the random order of the arms. Rewards below 0 drop every arm after one pull, so the first pulls show it.
std::vector<Arm> order_of(Arm arms, Pulls horizon, std::uint64_t seed) {
  const auto policy = make_policy(PolicyChoice("ptrr"), {.arms = arms, .horizon = horizon, .seed = seed});
  std::vector<Arm> order;
  for (Arm step = 0; step < arms; ++step) {
    order.push_back(policy->choose());
    policy->observe(order.back(), -1);
  }
  return order;
}

TEST(Ptrr, DecidesByItsDefinition) {
  on_many_bandits([](const Bandit& bandit, std::uint64_t seed) {
    const std::vector<Arm> order = order_of(bandit.arm_count(), 700, seed);
    const double tau = 700 - bandit.arm_count();
    for (const double m : {1.0, 0.75, 0.2}) {
      for (const double a : {1.0, 0.5}) {
        expect_choices("ptrr:m=" + std::to_string(m) + ",a=" + std::to_string(a), bandit, 700, seed,
                       [&](const RewardsByArm& history) { return ptrr_choice(history, order, tau, m, a); });
      }
    }
    expect_choices("ptrr", bandit, 700, seed,
                   [&](const RewardsByArm& history) { return ptrr_choice(history, order, tau, 1, 1); });
  });
}

TEST(Ptrr, TakesTheArmsInEveryOrderEquallyOften) {
  std::map<std::vector<Arm>, int> times;
  for (std::uint64_t seed = 0; seed < 6'000; ++seed) ++times[order_of(3, 100, seed)];
  EXPECT_EQ(times.size(), 6U);
  for (const auto& [order, count] : times) {
    EXPECT_TRUE(std::is_permutation(order.begin(), order.end(), std::vector<Arm>{0, 1, 2}.begin()));
    EXPECT_NEAR(count, 1'000, 150);
  }
}

TEST(Ptrr, DropsArmsThatStayLowAndKeepsTheOneThatReachesM) {
  const double horizon = 1'000;
  const auto low = [](double) { return 0.1; };
  // The slowest rise that m allows.
  const auto best = [=](double pull) { return std::min(0.8, 0.8 * (pull - 1) / (horizon - 4)); };
  const Bandit bandit = bandit_of(1'000, {low, low, best, low}, NoNoise{});
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    std::vector<Arm> trace(1'000);
    const Setting setting{.arms = 4, .horizon = 1'000, .seed = seed};
    const RunResult result = play(PolicyChoice("ptrr:m=0.8"), bandit, setting, trace);
    const auto first = std::find(trace.begin(), trace.end(), 2);
    ASSERT_NE(first, trace.end()) << seed;
    EXPECT_TRUE(std::all_of(first, trace.end(), [](Arm arm) { return arm == 2; })) << seed;
    for (const std::size_t arm : {0U, 1U, 3U}) {  // 0.1 < 0.8 (n-1) / 996 from n = 126 on
      EXPECT_TRUE(result.pulls[arm] == 0 || result.pulls[arm] == 126) << seed;
    }
  }
}

TEST(Ptrr, KeepsAnArmWhoseFirstRewardIsZero) {
  const Bandit bandit = bandit_of(1'000, {[](double pull) { return 1 - 1 / std::sqrt(pull); }}, NoNoise{});
  const auto policy = make_policy(PolicyChoice("ptrr"), {.arms = 2, .horizon = 1'000});
  World world(bandit, 0);
  const Arm first = policy->choose();
  for (int step = 0; step < 500; ++step) {
    policy->observe(first, world.pull(0));
    ASSERT_EQ(policy->choose(), first) << step;
  }
}

TEST(Ptrr, PullsTheArmWithTheLargestLastRewardIfMIsTooHighForAll) {
  const Bandit bandit = bandit_of(1'000,
                                  {[](double) { return 0.02; }, [](double) { return 0.05; },
                                   [](double) { return 0.03; }, [](double) { return 0.04; }},
                                  NoNoise{});
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    const RunResult result = play(PolicyChoice("ptrr"), bandit, {.arms = 4, .horizon = 1'000, .seed = seed});
    EXPECT_EQ(result.pulls, (std::vector<Pulls>{21, 907, 31, 41})) << seed;
  }
}

TEST(Ptrr, KeepsAnArmWhosePullsAreLost) {
  const std::vector<Arm> order = order_of(3, 1'000, 5);
  const auto policy = make_policy(PolicyChoice("ptrr"), {.arms = 3, .horizon = 1'000, .seed = 5});
  ASSERT_EQ(policy->choose(), order[0]);
  policy->observe(order[0], 0.5);
  for (int pull = 0; pull < 300; ++pull) {
    ASSERT_EQ(policy->choose(), order[0]);
    policy->lose(order[0]);
  }
  ASSERT_EQ(policy->choose(), order[0]);
  policy->observe(order[0], 0.29);  // its pull 302, whose threshold is 301/997
  EXPECT_EQ(policy->choose(), order[1]);
}

}  // namespace
}  // namespace longrun
