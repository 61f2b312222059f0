// What is known of the baselines: their regret on arms that do not change, and on an arm that falls.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "longrun/policy/statistics/bernoulli_divergence.h"
#include "longrun/simulate/optimum.h"
#include "longrun/simulate/play.h"
#include "tests/long_tests.h"

namespace longrun {
namespace {

/// Returns the mean regret over fixed seeds.
double mean_regret_of(const std::string& policy, const Bandit& bandit, Pulls horizon) {
  constexpr std::uint64_t kSeeds = sanitizer_slowdown() > 1 ? 4 : 40;
  const double best = optimal_allocation(bandit, horizon).value;
  double regret = 0;
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
    const Setting setting{.arms = bandit.arm_count(), .horizon = horizon, .noise = bandit.noise, .seed = seed};
    regret += (best - play(PolicyChoice(policy), bandit, setting).earned) / static_cast<double>(kSeeds);
  }
  return regret;
}

Bandit constant_arms(const std::vector<double>& means, const Noise& noise) {
  Bandit bandit{.name = "constant", .arm_names = {}, .arms = {}, .noise = noise, .recorded_noise = nullptr};
  for (const double mean : means) bandit.arms.emplace_back(Constant{mean});
  bandit.arm_names.resize(means.size());
  return bandit;
}

/// Returns the smallest possible regret of a policy that is good on all bandits, for T -> infinity: sum of
/// (best - mean) / kl(mean, best) ln T (Lai & Robbins 1985).
double lai_robbins(const std::vector<double>& means, Pulls horizon) {
  const double best = *std::max_element(means.begin(), means.end());
  double rate = 0;
  for (const double mean : means) {
    if (mean < best) rate += (best - mean) / bernoulli_divergence(mean, best);
  }
  return rate * std::log(static_cast<double>(horizon));
}

TEST(Baselines, HaveTheRateOfLaiAndRobbinsOnBernoulliArms) {
  constexpr Pulls kHorizon = 20'000;
  for (const std::vector<double>& means :
       {std::vector<double>{0.9, 0.8, 0.7, 0.6}, {0.1, 0.05, 0.05, 0.02, 0.02, 0.01, 0.01}, {0.5, 0.3, 0.4}}) {
    const Bandit bandit = constant_arms(means, Bernoulli{});
    const double limit = lai_robbins(means, kHorizon);
    const double ucb1 = mean_regret_of("ucb:exploration=2", bandit, kHorizon);
    for (const char* policy : {"kl-ucb", "thompson-beta"}) {
      const double regret = mean_regret_of(policy, bandit, kHorizon);
      EXPECT_GT(regret, 0.4 * limit) << policy << ", " << means[0];
      EXPECT_LT(regret, 1.6 * limit) << policy << ", " << means[0];
      EXPECT_LT(regret, 0.5 * ucb1) << policy << ", " << means[0];
    }
    EXPECT_LT(mean_regret_of("thompson-beta", bandit, kHorizon), mean_regret_of("kl-ucb", bandit, kHorizon));
    EXPECT_LT(mean_regret_of("glr-kl-ucb", bandit, kHorizon), 2 * limit)
        << "few changes are found where there are none";
  }
}

TEST(Baselines, GaussianThompsonHasTheRateOfLaiAndRobbinsUnderGaussianNoise) {
  constexpr Pulls kHorizon = 20'000;
  const std::vector<double> means{0.6, 0.5, 0.45, 0.2};
  const double sd = 0.5;
  const Bandit bandit = constant_arms(means, Gaussian{sd});
  double rate = 0;  // the divergence of normal distributions is (difference)^2 / (2 sd^2)
  for (const double mean : means) {
    if (mean < 0.6) rate += 2 * sd * sd / (0.6 - mean);
  }
  const double limit = rate * std::log(static_cast<double>(kHorizon));
  const double regret = mean_regret_of("thompson-gaussian", bandit, kHorizon);
  EXPECT_GT(regret, 0.4 * limit);
  EXPECT_LT(regret, 1.6 * limit);
  EXPECT_LT(regret, 0.5 * mean_regret_of("ucb:exploration=2", bandit, kHorizon));
  // The noise of the setting is used: with little noise little exploration is needed.
  EXPECT_LT(mean_regret_of("thompson-gaussian", constant_arms(means, Gaussian{0.05}), kHorizon), 0.1 * regret);
}

TEST(Baselines, DecayingEpsilonHasLogarithmicRegretAndConstantEpsilonLinear) {
  const Bandit bandit = constant_arms({0.8, 0.4}, Bernoulli{});
  const double early = mean_regret_of("epsilon-greedy", bandit, 2'000);
  const double late = mean_regret_of("epsilon-greedy", bandit, 20'000);
  EXPECT_LT(late, 2.5 * early);
  EXPECT_NEAR(mean_regret_of("epsilon-greedy:epsilon=0.1", bandit, 20'000), 0.1 * 0.5 * 0.4 * 20'000, 30);
}

TEST(Baselines, DetectingAChangeHelpsWhereAnArmFalls) {
  constexpr Pulls kHorizon = 10'000;
  Bandit bandit = constant_arms({0.5, 0.5}, Bernoulli{});
  std::vector<double> falling(static_cast<std::size_t>(kHorizon), 0.2);
  std::fill_n(falling.begin(), 2'000, 0.8);
  bandit.arms[0] = Curve::from_rewards(falling);
  const double without = mean_regret_of("kl-ucb", bandit, kHorizon);
  const double with = mean_regret_of("glr-kl-ucb", bandit, kHorizon);
  EXPECT_GT(without, 400) << "the mean of the fallen arm stays above 0.5 for 2,000 pulls";
  EXPECT_LT(with, 0.3 * without);
  // On noise that leaves the unit interval too.
  bandit.noise = Gaussian{0.3};
  EXPECT_LT(mean_regret_of("glr-kl-ucb", bandit, kHorizon), 0.3 * mean_regret_of("kl-ucb", bandit, kHorizon));
}

}  // namespace
}  // namespace longrun
