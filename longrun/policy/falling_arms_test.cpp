// RAW-UCB and FEWA, the policies for falling arms.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <vector>

#include "longrun/simulate/play.h"
#include "tests/choices_by_definition.h"

namespace longrun {
namespace {

Arm raw_ucb_choice(const RewardsByArm& history, double alpha, double sd) {
  const double t = pulls_made(history) + 1;
  return first_largest(history, [&](const auto& rewards) {
    double smallest = std::numeric_limits<double>::infinity();
    for (std::size_t window = 1; window <= rewards.size(); window *= 2) {
      const auto h = static_cast<double>(window);
      smallest = std::min(smallest, window_sum(rewards, window) / h + std::sqrt(2 * alpha * sd * sd * std::log(t) / h));
    }
    return smallest;  // infinite without rewards
  });
}

Arm fewa_choice(const RewardsByArm& history, double alpha, double sd) {
  const double t = pulls_made(history) + 1;
  std::vector<std::size_t> candidates(history.size());
  std::iota(candidates.begin(), candidates.end(), 0U);
  for (std::size_t h = 1;; h *= 2) {
    for (const std::size_t arm : candidates) {
      if (history[arm].size() < h) return static_cast<Arm>(arm);
    }
    double largest = -std::numeric_limits<double>::infinity();
    for (const std::size_t arm : candidates) largest = std::max(largest, window_sum(history[arm], h));
    const double distance = std::sqrt(8 * static_cast<double>(h) * alpha * sd * sd * std::log(t));
    std::vector<std::size_t> kept;
    for (const std::size_t arm : candidates) {
      if (window_sum(history[arm], h) >= largest - distance) kept.push_back(arm);
    }
    candidates = kept;
  }
}

TEST(RawUcb, DecidesByItsDefinition) {
  on_many_bandits([](const Bandit& bandit, std::uint64_t seed) {
    const double sd = standard_deviation(bandit.noise);
    expect_choices("raw-ucb", bandit, 700, seed,
                   [&](const RewardsByArm& history) { return raw_ucb_choice(history, 1.4, sd); });
    expect_choices("raw-ucb:alpha=0.1", bandit, 700, seed,
                   [&](const RewardsByArm& history) { return raw_ucb_choice(history, 0.1, sd); });
  });
}

TEST(Fewa, DecidesByItsDefinition) {
  on_many_bandits([](const Bandit& bandit, std::uint64_t seed) {
    const double sd = standard_deviation(bandit.noise);
    expect_choices("fewa", bandit, 700, seed,
                   [&](const RewardsByArm& history) { return fewa_choice(history, 0.06, sd); });
    expect_choices("fewa:alpha=4", bandit, 700, seed,
                   [&](const RewardsByArm& history) { return fewa_choice(history, 4, sd); });
  });
}

TEST(RawUcb, ImaginesTheRewardsOfPendingPulls) {
  expect_choices_with_late_rewards("raw-ucb",
                                   [](const RewardsByArm& history) { return raw_ucb_choice(history, 1.4, 0.1); });
}

TEST(Fewa, ImaginesTheRewardsOfPendingPulls) {
  expect_choices_with_late_rewards("fewa", [](const RewardsByArm& history) { return fewa_choice(history, 0.06, 0.1); });
}

/// Ten arms that fall after 300 pulls each, as in Seznec et al. (2020) but within [0, 1].
TEST(PoliciesForFallingArms, EarnMoreThanUcbOnArmsThatFallAtOnce) {
  std::vector<std::function<double(double)>> curves(10);
  for (std::size_t arm = 0; arm < 10; ++arm) {
    const double height = 0.05 * static_cast<double>(arm);
    curves[arm] = [=](double pull) { return pull <= 300 ? 0.5 + height : 0.5 - height; };
  }
  const Bandit bandit = bandit_of(5'000, curves, Gaussian{0.1});
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const Setting setting{.arms = 10, .horizon = 5'000, .noise = bandit.noise, .seed = seed};
    const double ucb = play(PolicyChoice("ucb"), bandit, setting).earned;
    EXPECT_GT(play(PolicyChoice("raw-ucb"), bandit, setting).earned, ucb + 200) << seed;
    EXPECT_GT(play(PolicyChoice("fewa"), bandit, setting).earned, ucb + 200) << seed;
  }
}

TEST(PoliciesForFallingArms, FollowTheLastRewardWithoutNoise) {
  // Each arm falls with every pull: its last reward is the smallest mean of all its windows.
  std::vector<std::function<double(double)>> curves;
  for (int arm = 1; arm <= 5; ++arm) curves.emplace_back([=](double pull) { return 1 / (1 + pull / arm); });
  const Bandit bandit = bandit_of(1'000, curves, NoNoise{});
  const Setting setting{.arms = 5, .horizon = 1'000};
  const std::vector<Pulls> greedy = play(PolicyChoice("greedy"), bandit, setting).pulls;
  EXPECT_EQ(play(PolicyChoice("raw-ucb"), bandit, setting).pulls, greedy);
  for (const Pulls pulls : play(PolicyChoice("fewa"), bandit, setting).pulls) EXPECT_GT(pulls, 50);
}

}  // namespace
}  // namespace longrun
