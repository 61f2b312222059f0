// The UCB rules compute two arms at once and 32 logarithms ahead: the bits are those of one arm and one logarithm at a
// time.
#include "longrun/policy/ucb.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <deque>
#include <random>
#include <vector>

#include "longrun/base/logarithms.h"

namespace longrun {
namespace {

constexpr double kExploration = 0.6;

double logarithm(double number) {
  take_logarithms(std::span(&number, 1));
  return number;
}

/// The rule of discounted UCB, one arm at a time.
struct PlainDiscountedUcb {
  double discount;
  std::vector<double> weights;
  std::vector<double> sums;
  double total = 0;

  void observe(std::size_t arm, double reward) {
    for (double& weight : weights) weight *= discount;
    for (double& sum : sums) sum *= discount;
    total *= discount;
    weights[arm] += 1;
    sums[arm] += reward;
    total += 1;
  }
  double index(std::size_t arm) const {
    if (weights[arm] <= 0) return INFINITY;
    return sums[arm] / weights[arm] + std::sqrt(kExploration * logarithm(std::max(1.0, total)) / weights[arm]);
  }
};

/// The rule of sliding-window UCB, one arm at a time.
struct PlainSlidingWindowUcb {
  std::size_t window;
  std::vector<double> counts;
  std::vector<double> sums;
  std::deque<std::pair<std::size_t, double>> rewards{};  // in the window
  std::size_t since_recomputed = 0;

  void observe(std::size_t arm, double reward) {
    if (rewards.size() == window) {
      counts[rewards.front().first] -= 1;
      sums[rewards.front().first] -= rewards.front().second;
      rewards.pop_front();
    }
    rewards.emplace_back(arm, reward);
    counts[arm] += 1;
    sums[arm] += reward;
    if (++since_recomputed < window) return;
    since_recomputed = 0;
    std::fill(sums.begin(), sums.end(), 0.0);
    for (const auto& [of, value] : rewards) sums[of] += value;
  }
  double index(std::size_t arm) const {
    if (counts[arm] == 0) return INFINITY;
    return sums[arm] / counts[arm] +
           std::sqrt(kExploration * logarithm(static_cast<double>(rewards.size())) / counts[arm]);
  }
};

std::uint64_t bits(double number) { return std::bit_cast<std::uint64_t>(number); }

/// Plays a policy with random rewards, and expects the choices and the bits of the indices of a plain rule.
template <class Rule, class Plain>
void expect_the_plain_rule(const Setting& setting, const Rule& rule, Plain plain, std::mt19937& random) {
  IndexPolicy<Rule> policy(setting, rule);
  Rule alone = rule;
  Ledger ledger(setting);
  const auto arms = static_cast<std::size_t>(setting.arms);
  std::uniform_real_distribution<double> uniform(-0.2, 1.2);
  for (Pulls step = 0; step < setting.horizon; ++step) {
    auto expected = static_cast<std::size_t>(step);
    if (expected >= arms) {
      expected = 0;
      for (std::size_t arm = 1; arm < arms; ++arm) {
        if (plain.index(arm) > plain.index(expected)) expected = arm;
      }
    }
    ASSERT_EQ(policy.choose(), static_cast<Arm>(expected)) << "step " << step << ", " << arms << " arms";
    // An arm that the policy did not choose, at times: rewards may arrive in any order.
    const bool other = static_cast<std::size_t>(step) >= arms && random() % 5 == 0;
    const std::size_t arm = other ? random() % arms : expected;
    const double reward = random() % 3 == 0 ? 0.5 : uniform(random);  // with ties
    policy.observe(static_cast<Arm>(arm), reward);
    ledger.add(static_cast<Arm>(arm));
    alone.observe(static_cast<Arm>(arm), reward, ledger);
    plain.observe(arm, reward);
    if (random() % 4 != 0) alone.prepare(ledger);
    if (static_cast<std::size_t>(step) + 1 < arms) continue;
    alone.prepare(ledger);
    for (std::size_t i = 0; i < arms; ++i) {
      ASSERT_EQ(bits(alone.index(static_cast<Arm>(i), ledger)), bits(plain.index(i))) << "step " << step;
      if (i + 1 == arms) break;
      const Pair two = alone.template indices<Pair>(i);
      ASSERT_EQ(bits(two[0]), bits(plain.index(i)));
      ASSERT_EQ(bits(two[1]), bits(plain.index(i + 1)));
    }
  }
}

TEST(DiscountedUcb, TwoArmsAtOnceHaveTheBitsOfOneArmAtATime) {
  std::mt19937 random(11);
  for (Arm arms = 1; arms <= 7; ++arms) {
    for (const double discount : {0.0, 0.5, 0.99, 1.0}) {  // with 0 and 0.5, weights underflow to 0
      const Setting setting{.arms = arms, .horizon = 1500};
      const auto count = static_cast<std::size_t>(arms);
      expect_the_plain_rule(setting, DiscountedUcbRule(setting, discount, kExploration),
                            PlainDiscountedUcb{discount, std::vector<double>(count), std::vector<double>(count)},
                            random);
    }
  }
}

TEST(SlidingWindowUcb, TwoArmsAtOnceHaveTheBitsOfOneArmAtATime) {
  std::mt19937 random(12);
  for (Arm arms = 1; arms <= 7; ++arms) {
    for (const std::size_t window : {1U, 5U, 16U, 100U, 5000U}) {
      const Setting setting{.arms = arms, .horizon = 1500};
      const auto count = static_cast<std::size_t>(arms);
      expect_the_plain_rule(setting, SlidingWindowUcbRule(setting, static_cast<Pulls>(window), kExploration),
                            PlainSlidingWindowUcb{std::min<std::size_t>(window, 1500), std::vector<double>(count),
                                                  std::vector<double>(count)},
                            random);
    }
  }
}

}  // namespace
}  // namespace longrun
