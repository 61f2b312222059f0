// Index policies: argmax, ledger, lazy evaluation, and the index rules against their definitions.
#include "longrun/policy/index_policy.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "longrun/policy/spo.h"
#include "longrun/policy/ucb.h"
#include "longrun/simulate/world.h"
#include "tests/long_tests.h"

namespace longrun {
namespace {

TEST(LazyArgmax, FindsTheLargestStoredIndexLowestArmOnTies) {
  std::mt19937 random(1);
  for (const Arm arms : {1, 2, 3, 5, 17, 400}) {
    LazyArgmax heap(arms);
    std::vector<double> keys(static_cast<std::size_t>(arms), -1);  // -1: not set yet
    for (int round = 0; round < 3000; ++round) {
      const auto arm = static_cast<Arm>(random() % static_cast<unsigned>(arms));
      const auto key = static_cast<double>(random() % 50);  // few values: many ties
      heap.set(arm, key, std::nullopt, 1);
      keys[static_cast<std::size_t>(arm)] = key;
      const auto expected = std::max_element(keys.begin(), keys.end()) - keys.begin();
      ASSERT_EQ(heap.best_stored(), expected);
    }
  }
}

TEST(LazyArgmax, FindsTheLargestIndexAsFewerPullsRemain) {
  std::mt19937 random(2);
  std::uniform_real_distribution<double> uniform(0, 1);
  for (int instance = 0; instance < 200; ++instance) {
    const std::size_t arms = 1 + random() % 60;
    LazyArgmax heap(static_cast<Arm>(arms));
    std::vector<Outlook> outlooks(arms);
    const auto renew = [&](std::size_t arm, Pulls remaining) {
      const double slope = random() % 4 == 0 ? 0 : std::pow(uniform(random), 8);
      outlooks[arm] = Outlook::rising(std::round(20 * uniform(random)) / 20, slope);
      std::optional<FixedRank> fixed;
      if (slope > 0 && random() % 8 != 0) {  // a rank is optional
        fixed =
            FixedRank{-outlooks[arm].shortfall(), static_cast<Pulls>(std::min(1e15, outlooks[arm].pulls_below_one()))};
      }
      heap.set(static_cast<Arm>(arm), outlooks[arm].average_less_one(remaining), fixed, remaining);
    };
    Pulls remaining = 1 + static_cast<Pulls>(random() % 3000);
    for (std::size_t arm = 0; arm < arms; ++arm) renew(arm, remaining);
    for (; remaining >= 1; remaining -= 1 + static_cast<Pulls>(random() % 3)) {
      const auto index = [&](Arm arm) { return outlooks[static_cast<std::size_t>(arm)].average_less_one(remaining); };
      Arm expected = 0;
      for (Arm arm = 1; arm < static_cast<Arm>(arms); ++arm) {
        if (index(arm) > index(expected)) expected = arm;
      }
      ASSERT_EQ(heap.best(remaining, index), expected)
          << "instance " << instance << ", " << remaining << " pulls remain";
      if (random() % 2 == 0) renew(static_cast<std::size_t>(expected), remaining);
      if (random() % 10 == 0) renew(random() % arms, remaining);
    }
  }
}

TEST(Ledger, CountsPullsWithAndWithoutAReward) {
  Ledger ledger({.arms = 3, .horizon = 10});
  EXPECT_EQ(ledger.first_lacking(1), 0);
  ledger.add(0);
  ledger.add_lost(1);
  EXPECT_EQ(ledger.pulls(1), 0);
  EXPECT_EQ(ledger.tried(1), 1);
  EXPECT_EQ(ledger.made(), 1);
  EXPECT_EQ(ledger.remaining(), 8);
  EXPECT_EQ(ledger.first_lacking(1), 1);
  for (int i = 0; i < 7; ++i) ledger.add_lost(1);
  EXPECT_EQ(ledger.first_lacking(1), 2);  // arm 1 was tried 8 times
  EXPECT_EQ(ledger.least_tried(), 2);
  EXPECT_EQ(ledger.least_tried(std::vector<Arm>{0, 1}), 0);
  ledger.add(2);
  EXPECT_EQ(ledger.first_lacking(1), std::nullopt);
  for (int i = 0; i < 20; ++i) ledger.add(2);
  EXPECT_EQ(ledger.remaining(), 1);  // beyond the horizon
}

Bandit many_arms(Arm arms, const Noise& noise, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> uniform(0, 1);
  Bandit bandit{.name = "many", .arm_names = {}, .arms = {}, .noise = noise, .recorded_noise = nullptr};
  for (Arm arm = 0; arm < arms; ++arm) {
    const double height = std::round(8 * uniform(random)) / 8;  // few heights, so that arms tie exactly
    switch (random() % 4) {
      case 0:
        bandit.arms.emplace_back(SaturatingPower{height, height, 0.1 + uniform(random)});
        break;
      case 1:
        bandit.arms.emplace_back(CappedPower{height, 1 + std::round(60 * uniform(random)), 1});
        break;
      case 2:
        bandit.arms.emplace_back(Constant{height});
        break;
      default:
        bandit.arms.emplace_back(Novelty{0.5 * height, 0.2 * uniform(random), 0.95, 0.1});
        break;
    }
  }
  bandit.arm_names.resize(bandit.arms.size());
  return bandit;
}

/// Returns the choice of SPO with all indices recomputed: lazy evaluation must decide the same.
Arm full_refresh_choice(const SpoRule& rule, const std::vector<Pulls>& pulls, Ledger& ledger) {
  for (std::size_t arm = 0; arm < pulls.size(); ++arm) {
    if (pulls[arm] < rule.initial_pulls()) return static_cast<Arm>(arm);
  }
  Arm best = 0;
  for (Arm arm = 1; arm < ledger.arms(); ++arm) {
    if (rule.index(arm, ledger) > rule.index(best, ledger)) best = arm;
  }
  return best;
}

void expect_lazy_is_full_refresh(Arm arms, Pulls horizon, const Noise& noise, std::uint64_t seed) {
  const Bandit bandit = many_arms(arms, noise, seed);
  const Setting setting{.arms = arms, .horizon = horizon, .noise = noise};
  SinglePeakedOptimism lazy = make_spo<Refresh::every_arm>(setting, {});
  SpoRule rule(setting, {}, Refresh::every_arm);
  Ledger ledger(setting);
  World world(bandit, seed);
  for (Pulls step = 0; step < horizon; ++step) {
    const Arm expected = full_refresh_choice(rule, world.pulls(), ledger);
    const Arm arm = lazy.choose();
    ASSERT_EQ(arm, expected) << "step " << step << " with " << arms << " arms, " << to_text(noise);
    const double reward = world.pull(arm);
    lazy.observe(arm, reward);
    ledger.add(arm);
    rule.observe(arm, reward, ledger);
  }
}

TEST(LazyEvaluation, MakesEveryDecisionOfAFullRefresh) {
  constexpr std::uint64_t kSeeds = sanitizer_slowdown() > 1 ? 1 : 3;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    for (const Arm arms : {2, 3, 4, 5, 6, 50, 300, 700}) {
      expect_lazy_is_full_refresh(arms, 12 * arms + 500, NoNoise{}, seed);
      expect_lazy_is_full_refresh(arms, 12 * arms + 500, Uniform{0.05}, seed);
      expect_lazy_is_full_refresh(arms, 12 * arms + 500, Gaussian{0.02}, seed);
    }
  }
}

TEST(LazyEvaluation, MakesEveryDecisionOfAFullRefreshWhenFewArmsBecomeMany) {
  constexpr Arm kMost = 9;
  for (const Noise& noise : {Noise(NoNoise{}), Noise(Uniform{0.05}), Noise(Gaussian{0.02})}) {
    const Bandit bandit = many_arms(kMost, noise, 4);
    const Setting setting{.arms = 2, .horizon = 1000, .noise = noise};
    SinglePeakedOptimism lazy = make_spo<Refresh::every_arm>(setting, {});
    SpoRule rule(setting, {}, Refresh::every_arm);
    Ledger ledger(setting);
    World world(bandit, 4);
    for (Pulls step = 0; step < setting.horizon; ++step) {
      if (step % 100 == 99 && ledger.arms() < kMost) {
        lazy.add_arm();
        rule.add_arm();
        ledger.add_arm();
      }
      std::vector<Pulls> pulls = world.pulls();
      pulls.resize(static_cast<std::size_t>(ledger.arms()));
      const Arm arm = lazy.choose();
      ASSERT_EQ(arm, full_refresh_choice(rule, pulls, ledger)) << "step " << step << ", " << to_text(noise);
      const double reward = world.pull(arm);
      lazy.observe(arm, reward);
      ledger.add(arm);
      rule.observe(arm, reward, ledger);
    }
  }
}

TEST(LazyEvaluation, ShortfallsOneBitApartTieAsInAFullRefresh) {
  std::mt19937 random(9);
  std::uniform_real_distribution<double> uniform(0, 1);
  for (int instance = 0; instance < 3'000; ++instance) {
    const double level = 0.5 * uniform(random);
    const double slope = 0.1 * uniform(random);
    const Setting setting{.arms = 2, .horizon = 300};
    SinglePeakedOptimism lazy = make_spo<Refresh::every_arm>(setting, {});
    SpoRule rule(setting, {}, Refresh::every_arm);
    Ledger ledger(setting);
    std::vector<Pulls> pulls(2);
    for (Pulls step = 0; step < 60; ++step) {
      const Arm expected = full_refresh_choice(rule, pulls, ledger);
      const Arm arm = lazy.choose();
      ASSERT_EQ(arm, expected) << "instance " << instance << ", step " << step;
      const double start = arm == 0 ? level : std::nextafter(level, 1.0);
      const double reward = std::min(1.0, start + slope * static_cast<double>(++pulls[static_cast<std::size_t>(arm)]));
      lazy.observe(arm, reward);
      ledger.add(arm);
      rule.observe(arm, reward, ledger);
    }
  }
}

TEST(StoredIndices, AreThoseOfTheirArmsLastPullsWhenFewArmsBecomeMany) {
  constexpr Arm kMost = 20;
  const Setting setting{.arms = 2, .horizon = 4000};
  const DiscountedUcbRule rule(setting, 0.97, 0.6);
  IndexPolicy<DiscountedUcbRule> policy(setting, rule, Refresh::pulled_arm);
  DiscountedUcbRule plain = rule;
  Ledger ledger(setting);
  std::vector<double> stored(2);
  bool all_stored = false;
  std::mt19937 random(21);
  std::uniform_real_distribution<double> uniform(0, 1);
  for (Pulls step = 0; step < setting.horizon; ++step) {
    if (step % 150 == 149 && ledger.arms() < kMost) {
      policy.add_arm();
      plain.add_arm();
      ledger.add_arm();
      stored.push_back(0);
    }
    std::optional<Arm> expected = ledger.first_lacking(1);
    if (!expected) {
      for (Arm arm = 0; arm < ledger.arms() && !all_stored; ++arm) {
        stored[static_cast<std::size_t>(arm)] = plain.index(arm, ledger);
      }
      all_stored = true;
      expected = static_cast<Arm>(std::max_element(stored.begin(), stored.end()) - stored.begin());
    }
    ASSERT_EQ(policy.choose(), *expected) << "step " << step << ", " << ledger.arms() << " arms";
    const double reward = 0.03 * *expected + uniform(random);
    policy.observe(*expected, reward);
    ledger.add(*expected);
    plain.observe(*expected, reward, ledger);
    if (all_stored) stored[static_cast<std::size_t>(*expected)] = plain.index(*expected, ledger);
  }
}

TEST(ReleasedSpo, AddsUpRewardsFromPullNPlus2ToTheHorizon) {  // departure 2 of the released code
  const Setting setting{.arms = 2, .horizon = 50, .half_width = 0.05};
  SpoRule rule(setting, {}, Refresh::pulled_arm);
  Ledger ledger(setting);
  for (int i = 0; i < 5; ++i) ledger.add(1);  // spent on the other arm: not counted
  std::vector<Band> bands;
  for (const double reward : {0.10, 0.14, 0.17, 0.19}) {
    ledger.add(0);
    rule.observe(0, reward, ledger);
    bands.push_back({reward - 0.05, reward + 0.05});
  }
  const std::vector<double> curve = optimistic_curve(bands, 50 - 4);  // v_1 .. v_50
  double expected = 0;
  for (std::size_t j = 6; j <= 50; ++j) expected += curve[j - 1];
  EXPECT_NEAR(rule.index(0, ledger), expected, 1e-9);
}

TEST(SlidingWindowUcb, AnArmOutsideTheWindowIsPulledOnceWhileInFlight) {
  const Setting setting{.arms = 2, .horizon = 100};
  SlidingWindowUcbRule rule(setting, 3, 0.6);
  Ledger ledger(setting);
  for (const Arm arm : {0, 1, 1, 1}) {
    ledger.add(arm);
    rule.observe(arm, 0.5, ledger);
  }
  rule.prepare(ledger);
  EXPECT_GT(rule.index(0, ledger), 1e300);
}

struct Observation {
  Arm arm;
  double reward;
};

std::vector<Observation> random_history(std::size_t length, unsigned arms) {
  std::mt19937 random(5);
  std::vector<Observation> history;
  for (std::size_t i = 0; i < length; ++i) {
    const Arm arm = i < arms ? static_cast<Arm>(i) : static_cast<Arm>(random() % arms);
    history.push_back({arm, static_cast<double>(random() % 1000) / 1000});
  }
  return history;
}

TEST(DiscountedUcb, IndexIsItsDefinition) {
  const Setting setting{.arms = 4, .horizon = 400};
  for (const double discount : {1.0, 0.97}) {
    DiscountedUcbRule rule(setting, discount, 0.6);
    Ledger ledger(setting);
    const auto history = random_history(400, 4);
    for (std::size_t t = 0; t < history.size(); ++t) {
      ledger.add(history[t].arm);
      rule.observe(history[t].arm, history[t].reward, ledger);
      if (t < 4) continue;
      rule.prepare(ledger);
      std::vector<double> weight(4);
      std::vector<double> sum(4);
      for (std::size_t s = 0; s <= t; ++s) {
        const double w = std::pow(discount, static_cast<double>(t - s));
        weight[static_cast<std::size_t>(history[s].arm)] += w;
        sum[static_cast<std::size_t>(history[s].arm)] += w * history[s].reward;
      }
      const double total = weight[0] + weight[1] + weight[2] + weight[3];
      for (std::size_t i = 0; i < 4; ++i) {
        const double expected = sum[i] / weight[i] + std::sqrt(0.6 * std::log(total) / weight[i]);
        ASSERT_NEAR(rule.index(static_cast<Arm>(i), ledger), expected, 1e-9) << t;
      }
    }
  }
}

TEST(SlidingWindowUcb, IndexIsItsDefinition) {
  const Setting setting{.arms = 4, .horizon = 2000};
  const std::size_t window = 37;
  SlidingWindowUcbRule rule(setting, static_cast<Pulls>(window), 0.6);
  Ledger ledger(setting);
  const auto history = random_history(2000, 4);
  for (std::size_t t = 0; t < history.size(); ++t) {
    ledger.add(history[t].arm);
    rule.observe(history[t].arm, history[t].reward, ledger);
    rule.prepare(ledger);
    std::vector<double> count(4);
    std::vector<double> sum(4);
    const std::size_t first = t + 1 > window ? t + 1 - window : 0;
    for (std::size_t s = first; s <= t; ++s) {
      count[static_cast<std::size_t>(history[s].arm)] += 1;
      sum[static_cast<std::size_t>(history[s].arm)] += history[s].reward;
    }
    for (std::size_t i = 0; i < 4; ++i) {
      const double index = rule.index(static_cast<Arm>(i), ledger);
      if (count[i] == 0) {
        ASSERT_TRUE(std::isinf(index));
        continue;
      }
      const double log_window = std::log(static_cast<double>(std::min(t + 1, window)));
      ASSERT_NEAR(index, sum[i] / count[i] + std::sqrt(0.6 * log_window / count[i]), 1e-12) << t;
    }
  }
}

}  // namespace
}  // namespace longrun
