// Tests of a policy's decisions against its definition, which is computed from all rewards at every step.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <numeric>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "longrun/decide/live_policy.h"
#include "longrun/policy/catalog.h"
#include "longrun/simulate/world.h"
#include "tests/long_tests.h"

namespace longrun {

/// Returns a bandit with these curves, from their values at pulls 1 .. longest, clamped to [0, 1].
inline Bandit bandit_of(Pulls longest, const std::vector<std::function<double(double)>>& curves, const Noise& noise) {
  Bandit bandit{.name = "test", .arm_names = {}, .arms = {}, .noise = noise, .recorded_noise = nullptr};
  for (const auto& curve : curves) {
    std::vector<double> rewards;
    for (Pulls pull = 1; pull <= longest; ++pull)
      rewards.push_back(std::clamp(curve(static_cast<double>(pull)), 0.0, 1.0));
    bandit.arms.push_back(Curve::from_rewards(std::move(rewards)));
  }
  bandit.arm_names.resize(curves.size());
  return bandit;
}

/// Returns arms that rise, stay and fall. Rewards are multiples of 1/64: their sums are exact, and many arms tie.
inline Bandit mixed_arms(Arm arms, Pulls longest, const Noise& noise, unsigned seed) {
  std::mt19937 random(seed);
  const auto on_grid = [](double reward) { return std::round(64 * reward) / 64; };
  std::vector<std::function<double(double)>> curves;
  for (Arm arm = 0; arm < arms; ++arm) {
    const double height = static_cast<double>(1 + random() % 8) / 8;
    const double length = 10 + static_cast<double>(random() % 200);
    switch (random() % 4) {
      case 0:
        curves.emplace_back([=](double) { return height; });
        break;
      case 1:
        curves.emplace_back([=](double pull) { return on_grid(height * std::min(1.0, pull / length)); });
        break;
      case 2:
        curves.emplace_back([=](double pull) { return on_grid(height * std::exp(-pull / length)); });
        break;
      default:
        curves.emplace_back([=](double pull) { return pull <= length ? height : 0.125; });
        break;
    }
  }
  return bandit_of(longest, curves, noise);
}

/// The rewards of every arm, in the order in which they were observed.
using RewardsByArm = std::vector<std::vector<double>>;

/// Returns the number of rewards of all arms.
inline double pulls_made(const RewardsByArm& history) {
  return std::accumulate(history.begin(), history.end(), 0.0,
                         [](double sum, const auto& rewards) { return sum + static_cast<double>(rewards.size()); });
}

/// Returns the arm with the largest index, the first one on ties.
inline Arm first_largest(const RewardsByArm& history, const std::function<double(const std::vector<double>&)>& index) {
  Arm best = 0;
  double largest = -std::numeric_limits<double>::infinity();
  for (std::size_t arm = 0; arm < history.size(); ++arm) {
    const double value = index(history[arm]);
    if (value > largest) {
      largest = value;
      best = static_cast<Arm>(arm);
    }
  }
  return best;
}

/// Returns the sum of the latest h rewards that end at a multiple of h.
inline double window_sum(const std::vector<double>& rewards, std::size_t h) {
  const auto end = rewards.begin() + static_cast<std::ptrdiff_t>(rewards.size() / h * h);
  return std::accumulate(end - static_cast<std::ptrdiff_t>(h), end, 0.0);
}

/// Expects every decision of the policy to be that of `expected`, a function of all rewards so far.
inline void expect_choices(const std::string& policy, const Bandit& bandit, Pulls horizon, std::uint64_t seed,
                           const std::function<Arm(const RewardsByArm&)>& expected) {
  const Setting setting{.arms = bandit.arm_count(), .horizon = horizon, .noise = bandit.noise, .seed = seed};
  const auto tested = make_policy(PolicyChoice(policy), setting);
  World world(bandit, seed);
  RewardsByArm history(bandit.arms.size());
  for (Pulls step = 0; step < horizon; ++step) {
    const Arm arm = tested->choose();
    ASSERT_EQ(arm, expected(history)) << policy << ", step " << step << ", " << bandit.arms.size() << " arms, "
                                      << to_text(bandit.noise) << ", seed " << seed;
    const double reward = world.pull(arm);
    tested->observe(arm, reward);
    history[static_cast<std::size_t>(arm)].push_back(reward);
  }
}

/// Calls `test` for few and many arms, without noise and with several kinds of noise.
inline void on_many_bandits(const std::function<void(const Bandit&, std::uint64_t seed)>& test) {
  constexpr unsigned kSeeds = sanitizer_slowdown() > 1 ? 1 : 2;
  for (const Noise& noise : {Noise(NoNoise{}), Noise(Gaussian{0.05}), Noise(Gaussian{0.5}), Noise(Uniform{0.1}),
                             Noise(SymmetricBeta{0.2, 0.1})}) {
    for (const Arm arms : {1, 2, 3, 10, 60}) {
      for (unsigned seed = 1; seed <= kSeeds; ++seed) test(mixed_arms(arms, 700, noise, seed), seed);
    }
  }
}

/// Returns the mean of the longest run of newest rewards that agrees with all shorter ones, if those agree too: the
/// means of two runs are within 1.7 standard errors, of both. For h = 1, 2, 4, ..., the run begins where the last
/// complete block of h rewards does, if all rewards are divided into blocks.
inline double expected_reward(const std::vector<double>& rewards, double sd) {
  std::vector<double> means;
  std::vector<double> errors;
  for (std::size_t h = 1; h <= rewards.size(); h *= 2) {
    const auto begin = rewards.begin() + static_cast<std::ptrdiff_t>((rewards.size() / h - 1) * h);
    const auto size = static_cast<double>(rewards.end() - begin);
    const double mean = std::accumulate(begin, rewards.end(), 0.0) / size;
    const double error = 1.7 * sd / std::sqrt(size);
    for (std::size_t k = 0; k < means.size(); ++k) {
      if (std::abs(means[k] - mean) > errors[k] + error) return means.back();
    }
    means.push_back(mean);
    errors.push_back(error);
  }
  return means.back();
}

/// Expects every decision to be that of `expected` while rewards arrive late, in blocks: of the rewards that have
/// arrived, and for every pending pull the expected reward of its arm.
inline void expect_choices_with_late_rewards(const std::string& name,
                                             const std::function<Arm(const RewardsByArm&)>& expected) {
  const Bandit bandit = mixed_arms(5, 1'000, Gaussian{0.1}, 8);
  const auto policy = make_policy(PolicyChoice(name), {.arms = 5, .horizon = 1'000, .noise = bandit.noise});
  World world(bandit, 8);
  RewardsByArm history(5);
  for (Arm arm = 0; arm < 5; ++arm) {  // a logged history
    for (int i = 0; i < 4; ++i) {
      history[static_cast<std::size_t>(arm)].push_back(world.pull(arm));
      policy->add(arm, history[static_cast<std::size_t>(arm)].back());
    }
  }
  for (int block = 0; block < 100; ++block) {
    RewardsByArm believed = history;
    std::vector<Arm> pending;
    for (int i = 0; i < 7; ++i) {
      pending.push_back(policy->choose());
      ASSERT_EQ(pending.back(), expected(believed)) << name << ", block " << block;
      const auto arm = static_cast<std::size_t>(pending.back());
      believed[arm].push_back(expected_reward(history[arm], 0.1));
    }
    for (const Arm arm : pending) {
      history[static_cast<std::size_t>(arm)].push_back(world.pull(arm));
      policy->observe(arm, history[static_cast<std::size_t>(arm)].back());
    }
  }
}

}  // namespace longrun
