#include "longrun/policy/epsilon_greedy.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

#include "longrun/simulate/play.h"
#include "tests/choices_by_definition.h"

namespace longrun {
namespace {

Arm epsilon_greedy_choice(const RewardsByArm& history, std::uint64_t seed, std::optional<double> constant,
                          double exploration) {
  for (std::size_t arm = 0; arm < history.size(); ++arm) {
    if (history[arm].empty()) return static_cast<Arm>(arm);
  }
  const double made = pulls_made(history);
  const double epsilon =
      constant ? *constant : std::min(1.0, exploration * static_cast<double>(history.size()) / (made + 1));
  const auto block =
      random_block({.seed = seed, .purpose = Purpose::policy}, static_cast<std::uint64_t>(std::lround(made)));
  if (unit_interval(block[0]) < epsilon) return static_cast<Arm>(block[1] % history.size());
  return first_largest(history, [](const std::vector<double>& rewards) {
    return std::accumulate(rewards.begin(), rewards.end(), 0.0) / static_cast<double>(rewards.size());
  });
}

TEST(EpsilonGreedy, DecidesByItsDefinition) {
  on_many_bandits([](const Bandit& bandit, std::uint64_t seed) {
    expect_choices("epsilon-greedy", bandit, 700, seed,
                   [&](const RewardsByArm& history) { return epsilon_greedy_choice(history, seed, {}, 5); });
    expect_choices("epsilon-greedy:exploration=0.5", bandit, 700, seed,
                   [&](const RewardsByArm& history) { return epsilon_greedy_choice(history, seed, {}, 0.5); });
    expect_choices("epsilon-greedy:epsilon=0.2", bandit, 700, seed,
                   [&](const RewardsByArm& history) { return epsilon_greedy_choice(history, seed, 0.2, 0); });
  });
}

TEST(EpsilonGreedy, DrawsItsShareOfPulls) {
  const Bandit bandit = bandit_of(20'000, {[](double) { return 0.2; }, [](double) { return 0.8; }}, NoNoise{});
  const auto pulls_of_the_worse_arm = [&](const char* text) {
    return static_cast<double>(play(PolicyChoice(text), bandit, {.arms = 2, .horizon = 20'000, .seed = 4}).pulls[0]);
  };
  EXPECT_EQ(pulls_of_the_worse_arm("epsilon-greedy:epsilon=0"), 1);
  EXPECT_NEAR(pulls_of_the_worse_arm("epsilon-greedy:epsilon=0.1"), 1'000, 120);  // half of the drawn pulls
  EXPECT_NEAR(pulls_of_the_worse_arm("epsilon-greedy:epsilon=1"), 10'000, 300);
  // 10 pulls, then 10 / t at pull t.
  EXPECT_NEAR(pulls_of_the_worse_arm("epsilon-greedy"), 0.5 * (10 + 10 * std::log(20'000 / 10)), 25);
}

TEST(EpsilonGreedy, HugeRewardsDoNotOverflow) {
  const auto policy = make_policy(PolicyChoice("epsilon-greedy:epsilon=0"), {.arms = 2, .horizon = 100});
  for (int i = 0; i < 10; ++i) {
    policy->add(0, -1e308);
    policy->add(1, 1e308);
  }
  EXPECT_EQ(policy->choose(), 1);
}

}  // namespace
}  // namespace longrun
