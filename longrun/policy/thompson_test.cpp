#include "longrun/policy/thompson.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <numeric>

#include "longrun/base/random_numbers.h"
#include "longrun/policy/statistics/random_variates.h"
#include "tests/choices_by_definition.h"

namespace longrun {
namespace {

/// Returns the first arm without a reward, or else that with the largest `sample(arm, rewards of the arm)`.
Arm largest_sample(const RewardsByArm& history,
                   const std::function<double(std::size_t arm, const std::vector<double>& rewards)>& sample) {
  for (std::size_t arm = 0; arm < history.size(); ++arm) {
    if (history[arm].empty()) return static_cast<Arm>(arm);
  }
  std::size_t arm = 0;
  return first_largest(history, [&](const std::vector<double>& rewards) { return sample(arm++, rewards); });
}

StreamKey stream_of_arm(std::uint64_t seed, std::size_t arm) {
  return {.seed = seed, .purpose = Purpose::policy, .lane = static_cast<std::uint32_t>(arm)};
}

TEST(GaussianThompson, DecidesByItsDefinition) {
  on_many_bandits([](const Bandit& bandit, std::uint64_t seed) {
    for (const double sd : {standard_deviation(bandit.noise), 0.3}) {
      const std::string text = sd == 0.3 ? std::string("thompson-gaussian:sd=0.3") : std::string("thompson-gaussian");
      expect_choices(text, bandit, 700, seed, [&](const RewardsByArm& history) {
        return largest_sample(history, [&](std::size_t arm, const std::vector<double>& rewards) {
          const auto count = static_cast<double>(rewards.size());
          const double mean = std::accumulate(rewards.begin(), rewards.end(), 0.0) / count;
          std::array<double, 2> normal{};
          normal_numbers(stream_of_arm(seed, arm), static_cast<std::uint64_t>(std::lround(pulls_made(history))),
                         normal);
          return mean + sd * (1 / std::sqrt(count)) * normal[0];
        });
      });
    }
  });
}

TEST(BetaThompson, DecidesByItsDefinition) {
  const auto test = [](const Bandit& bandit, std::uint64_t seed) {
    expect_choices("thompson-beta", bandit, 700, seed, [&](const RewardsByArm& history) {
      return largest_sample(history, [&](std::size_t arm, const std::vector<double>& rewards) {
        double successes = 0;
        double failures = 0;
        for (const double reward : rewards) {
          successes += std::min(1.0, std::max(0.0, reward));
          failures += 1 - std::min(1.0, std::max(0.0, reward));
        }
        const auto draw = static_cast<std::uint64_t>(std::lround(pulls_made(history)));
        return beta_variate(stream_of_arm(seed, arm), draw, 1 + successes, 1 + failures);
      });
    });
  };
  on_many_bandits(test);
  test(mixed_arms(5, 700, Bernoulli{}, 3), 3);
}

TEST(Thompson, ALostPullDrawsNewNumbers) {
  // Of many equal arms every draw prefers another one.
  for (const char* text : {"thompson-gaussian", "thompson-beta"}) {
    const auto policy = make_policy(PolicyChoice(text), {.arms = 50, .horizon = 1'000, .noise = Gaussian{0.1}});
    for (Arm arm = 0; arm < 50; ++arm) policy->add(arm, 0.5);
    std::vector<Arm> chosen;
    for (int i = 0; i < 20; ++i) {
      chosen.push_back(policy->choose());
      policy->lose(chosen.back());
    }
    std::sort(chosen.begin(), chosen.end());
    EXPECT_GT(std::unique(chosen.begin(), chosen.end()) - chosen.begin(), 10) << text;
  }
}

TEST(Thompson, RoundsOfManyPullsAreSpreadOverTheArmsThatMayBeBest) {
  // While its rewards are pending, every choice of a round is a draw of its own.
  for (const char* text : {"thompson-gaussian", "thompson-beta"}) {
    const auto policy = make_policy(PolicyChoice(text), {.arms = 5, .horizon = 1'000, .noise = Gaussian{0.1}});
    for (Arm arm = 0; arm < 5; ++arm) policy->add(arm, arm == 4 ? 0.1 : 0.5);
    std::vector<int> chosen(5);
    for (int i = 0; i < 100; ++i) ++chosen[static_cast<std::size_t>(policy->choose())];
    for (std::size_t arm = 0; arm < 4; ++arm) EXPECT_GT(chosen[arm], 3) << text;
  }
}

}  // namespace
}  // namespace longrun
