#include "longrun/policy/r_ed_ucb.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <map>
#include <random>

#include "longrun/simulate/play.h"
#include "tests/choices_by_definition.h"

namespace longrun {
namespace {

double rising_index(const std::vector<double>& rewards, double t, double eps, double sd) {
  const auto n = static_cast<double>(rewards.size());
  const auto window = static_cast<std::size_t>(eps * n);
  if (window == 0) return std::numeric_limits<double>::infinity();
  const auto h = static_cast<double>(window);
  double sum = 0;
  for (std::size_t l = rewards.size() - window + 1; l <= rewards.size(); ++l) {
    const double y = rewards[l - 1];
    sum += y + (t - static_cast<double>(l)) * (y - rewards[l - window - 1]) / h;
  }
  return sum / h + sd * (t - n + h - 1) * std::sqrt(10 * std::log(std::pow(t, 4)) / std::pow(h, 3));
}

Arm r_ed_ucb_choice(const RewardsByArm& history, double eps, double sd) {
  const double t = pulls_made(history) + 1;
  return first_largest(history, [&](const auto& rewards) { return rising_index(rewards, t, eps, sd); });
}

TEST(REdUcb, DecidesByItsDefinition) {
  for (const double eps : {0.25, 0.5, 0.1, 0.37}) {
    on_many_bandits([&](const Bandit& bandit, std::uint64_t seed) {
      const double sd = standard_deviation(bandit.noise);
      // Without noise, ties depend on rounding; ArmsThatDoNotChangeTieExactly covers them.
      if (sd == 0) return;
      expect_choices("r-ed-ucb:eps=" + std::to_string(eps), bandit, 700, seed,
                     [&](const RewardsByArm& history) { return r_ed_ucb_choice(history, eps, sd); });
    });
  }
  on_many_bandits([](const Bandit& bandit, std::uint64_t seed) {
    const double sd = standard_deviation(bandit.noise);
    if (sd == 0) return;
    expect_choices("r-ed-ucb", bandit, 300, seed,
                   [&](const RewardsByArm& history) { return r_ed_ucb_choice(history, 0.25, sd); });
  });
}

TEST(REdUcb, ArmsThatDoNotChangeTieExactly) {
  for (const double level : {0.1, 0.3, 1.0 / 3, 0.7}) {
    const auto same = [=](double) { return level; };
    const Bandit bandit = bandit_of(400, {[=](double) { return level / 2; }, same, same, same}, NoNoise{});
    const RunResult result = play(PolicyChoice("r-ed-ucb"), bandit, {.arms = 4, .horizon = 400});
    EXPECT_EQ(result.pulls, (std::vector<Pulls>{4, 388, 4, 4})) << level;
  }
}

TEST(REdUcb, IndexIsItsDefinitionOverALongRun) {
  for (const double eps : {0.25, 0.5, 0.013}) {
    const Setting setting{.arms = 1, .horizon = 200'000, .noise = Gaussian{0.1}};
    REdUcbRule rule(setting, eps);
    Ledger ledger(setting);
    std::mt19937_64 random(4);
    std::normal_distribution<double> normal(0, 0.1);
    std::vector<double> rewards;
    for (int n = 1; n <= 200'000; ++n) {
      rewards.push_back(1 - std::pow(n, -0.3) + normal(random));
      ledger.add(0);
      rule.observe(0, rewards.back(), ledger);
      if (n < rule.initial_pulls() || (n > 300 && n % 7'919 != 0)) continue;
      rule.prepare(ledger);
      ASSERT_NEAR(rule.index(0, ledger), rising_index(rewards, n + 1, eps, 0.1), 1e-9) << n << " rewards, eps " << eps;
    }
  }
}

TEST(REdUcb, PullsEveryArmUntilItHasAWindow) {
  const Bandit bandit = mixed_arms(3, 100, Gaussian{0.1}, 1);
  for (const auto& [policy, pulls] :
       std::map<std::string, Pulls>{{"r-ed-ucb", 4}, {"r-ed-ucb:eps=0.5", 2}, {"r-ed-ucb:eps=0.3", 4}}) {
    std::vector<Arm> trace(static_cast<std::size_t>(3 * pulls));
    play(PolicyChoice(policy), bandit, {.arms = 3, .horizon = 3 * pulls, .noise = bandit.noise}, trace);
    for (std::size_t step = 0; step < trace.size(); ++step) {
      EXPECT_EQ(trace[step], static_cast<Arm>(step) / pulls) << policy << ", step " << step;
    }
  }
}

/// The two arms of Metelli et al. (2022): the second overtakes the first late.
TEST(REdUcb, FindsTheArmThatRisesLate) {
  const Pulls horizon = 50'000;
  const Bandit bandit = bandit_of(horizon,
                                  {[](double pull) { return 0.4 * (1 - 50'000 / (100 * (pull - 1) + 50'000)); },
                                   [](double pull) { return (pull - 1) / 25'000; }},
                                  Gaussian{0.01});
  const Setting setting{.arms = 2, .horizon = horizon, .noise = bandit.noise};
  const RunResult rising = play(PolicyChoice("r-ed-ucb"), bandit, setting);
  EXPECT_GT(rising.earned, 0.85 * 37'499.5);  // of the optimum
  EXPECT_GT(rising.pulls[1], 40'000);
  EXPECT_GT(rising.earned, 1.5 * play(PolicyChoice("ucb"), bandit, setting).earned);
}

TEST(REdUcb, ImaginesTheRewardsOfPendingPulls) {
  expect_choices_with_late_rewards("r-ed-ucb",
                                   [](const RewardsByArm& history) { return r_ed_ucb_choice(history, 0.25, 0.1); });
}

}  // namespace
}  // namespace longrun
