// Requirements on every policy of the catalog, on small and large bandits.
#include <gtest/gtest.h>

#include <numeric>
#include <thread>

#include "longrun/base/input_error.h"
#include "longrun/data/named_bandits.h"
#include "longrun/decide/live_policy.h"
#include "longrun/decide/study/study.h"
#include "longrun/policy/catalog.h"
#include "longrun/simulate/optimum.h"
#include "longrun/simulate/play.h"
#include "longrun/simulate/world.h"

namespace longrun {
namespace {

struct Played {
  RunResult result;
  std::vector<Arm> trace;
};

Setting setting_for(const PolicyEntry& entry, const Bandit& bandit, Pulls horizon, std::uint64_t seed = 3) {
  Setting setting{.arms = bandit.arm_count(), .horizon = horizon, .noise = bandit.noise, .seed = seed};
  if (entry.traits.needs_plan) setting.plan = optimal_allocation(bandit, horizon).pulls;
  return setting;
}

Played play_traced(const PolicyEntry& entry, const Bandit& bandit, Pulls horizon, std::uint64_t seed = 3) {
  Played played;
  played.trace.resize(static_cast<std::size_t>(horizon));
  played.result = play(PolicyChoice(entry.name), bandit, setting_for(entry, bandit, horizon, seed), played.trace);
  return played;
}

std::vector<Bandit> test_bandits() {
  std::vector<Bandit> bandits;
  for (const char* name : {"inc_1_alpha_0.5", "inc_dec_3", "recommender_B", "const"}) {
    for (const Noise& noise : {Noise(NoNoise{}), Noise(Gaussian{0.05}), Noise(Uniform{0.1}),
                               Noise(SymmetricBeta{0.2, 0.1}), Noise(Bernoulli{})}) {
      bandits.push_back(named_bandit(name));
      bandits.back().noise = noise;
    }
  }
  Bandit single{.name = "one arm",
                .arm_names = {"only"},
                .arms = {SaturatingPower{1, 1, 0.5}},
                .noise = Gaussian{0.1},
                .recorded_noise = nullptr};
  bandits.push_back(single);
  return bandits;
}

TEST(EveryPolicyConforms, MakesExactlyHorizonPulls) {
  for (const PolicyEntry& entry : policy_catalog()) {
    for (const Bandit& bandit : test_bandits()) {
      for (const Pulls horizon : {1, 2, 3, 5, 7, 20, 333}) {  // fewer than the arms of const, or than the initial pulls
        const Played played = play_traced(entry, bandit, horizon);
        const Pulls made = std::accumulate(played.result.pulls.begin(), played.result.pulls.end(), Pulls{0});
        ASSERT_EQ(made, horizon) << entry.name << " on " << bandit.name;
        std::vector<Pulls> counted(bandit.arms.size());
        for (const Arm arm : played.trace) ++counted[static_cast<std::size_t>(arm)];
        ASSERT_EQ(counted, played.result.pulls) << entry.name << " on " << bandit.name;
        double earned = 0;
        for (std::size_t i = 0; i < counted.size(); ++i) earned += bandit.arms[i].cumulative(counted[i]);
        ASSERT_NEAR(played.result.earned, earned, 1e-9);
      }
    }
  }
}

TEST(EveryPolicyConforms, NeverEarnsMoreThanTheOptimum) {
  for (const PolicyEntry& entry : policy_catalog()) {
    for (const Bandit& bandit : test_bandits()) {
      const double best = optimal_allocation(bandit, 777).value;
      const double earned = play_traced(entry, bandit, 777).result.earned;
      ASSERT_LE(earned, best * (1 + 1e-12)) << entry.name << " on " << bandit.name;
      if (entry.traits.reference) {
        ASSERT_NEAR(earned, best, 1e-9);
      }
    }
  }
}

TEST(EveryPolicyConforms, ReplaysExactlyFromItsSeed) {
  for (const PolicyEntry& entry : policy_catalog()) {
    for (const Bandit& bandit : test_bandits()) {
      ASSERT_EQ(play_traced(entry, bandit, 500).trace, play_traced(entry, bandit, 500).trace) << entry.name;
    }
  }
}

TEST(EveryPolicyConforms, AnotherSeedGivesOtherNoise) {
  Bandit bandit = named_bandit("inc_dec_3");
  bandit.noise = Gaussian{0.1};
  for (const PolicyEntry& entry : policy_catalog()) {
    if (entry.traits.reference) continue;
    bool differs = false;
    for (std::uint64_t seed = 4; seed < 14 && !differs; ++seed) {
      differs = play_traced(entry, bandit, 500, 3).trace != play_traced(entry, bandit, 500, seed).trace;
    }
    EXPECT_TRUE(differs) << entry.name;
  }
}

TEST(EveryPolicyConforms, LivePolicyIsThePlayLoop) {
  for (const PolicyEntry& entry : policy_catalog()) {
    for (const Bandit& bandit : test_bandits()) {
      const Pulls horizon = 400;
      const auto policy = make_policy(PolicyChoice(entry.name), setting_for(entry, bandit, horizon));
      World world(bandit, 3);
      std::vector<Arm> trace;
      for (Pulls step = 0; step < horizon; ++step) {
        trace.push_back(policy->choose());
        policy->observe(trace.back(), world.pull(trace.back()));
      }
      ASSERT_EQ(trace, play_traced(entry, bandit, horizon).trace) << entry.name << " on " << bandit.name;
    }
  }
}

TEST(EveryPolicyConforms, AStudyIsThePlayLoop) {
  for (const PolicyEntry& entry : policy_catalog()) {
    if (entry.traits.needs_plan) continue;
    for (const Bandit& bandit : test_bandits()) {
      const Pulls horizon = 400;
      Study study({.arms = bandit.arm_names,
                   .budget = horizon,
                   .noise = bandit.noise,
                   .policy = std::string(entry.name),
                   .seed = 3});
      World world(bandit, 3);
      std::vector<Arm> trace;
      while (!study.done()) {
        const Decision decision = study.decide().decisions.at(0);
        trace.push_back(decision.arm);
        study.settle(decision.id, Outcome::observed(world.pull(decision.arm)));
      }
      // A study estimates the noise of yes/no rewards; the play loop does so if it is asked to.
      PolicyChoice choice(entry.name);
      if (bandit.noise == Noise(Bernoulli{}) && entry.traits.estimates_noise) choice = choice.estimating_noise();
      std::vector<Arm> played(static_cast<std::size_t>(horizon));
      play(choice, bandit, setting_for(entry, bandit, horizon, 3), played);
      ASSERT_EQ(trace, played) << entry.name << " on " << bandit.name;
    }
  }
}

TEST(EveryPolicyConforms, ThreadsDoNotChangeARun) {
  Bandit bandit = named_bandit("recommender_A").tabulated(2'000);
  bandit.noise = Gaussian{0.05};
  const auto catalog = policy_catalog();
  std::vector<Played> alone;
  for (const PolicyEntry& entry : catalog) alone.push_back(play_traced(entry, bandit, 2'000));
  std::vector<Played> together(catalog.size());
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < catalog.size(); ++i) {
    threads.emplace_back([&, i] { together[i] = play_traced(catalog[i], bandit, 2'000); });
  }
  for (std::thread& thread : threads) thread.join();
  for (std::size_t i = 0; i < catalog.size(); ++i) {
    EXPECT_EQ(alone[i].trace, together[i].trace) << catalog[i].name;
    EXPECT_EQ(alone[i].result.earned, together[i].result.earned);
  }
}

TEST(EveryPolicyConforms, TabulatingTheCurvesChangesNothing) {
  for (const PolicyEntry& entry : policy_catalog()) {
    for (const Bandit& bandit : test_bandits()) {
      ASSERT_EQ(play_traced(entry, bandit, 300).trace, play_traced(entry, bandit.tabulated(100), 300).trace)
          << entry.name;
    }
  }
}

TEST(EveryPolicyConforms, OnePassGivesEveryHorizonIfThePolicyDoesNotUseIt) {
  const std::vector<Pulls> horizons{1, 2, 7, 30, 100, 333};
  int checked = 0;
  for (const PolicyEntry& entry : policy_catalog()) {
    if (entry.traits.uses_horizon) continue;
    ++checked;
    for (const Bandit& bandit : test_bandits()) {
      const Setting longest = setting_for(entry, bandit, horizons.back());
      const auto results = play_on(PolicyChoice(entry.name), World(bandit, longest.seed), longest, horizons);
      for (std::size_t i = 0; i < horizons.size(); ++i) {
        const RunResult alone = play_traced(entry, bandit, horizons[i]).result;
        ASSERT_EQ(results[i].pulls, alone.pulls) << entry.name << " on " << bandit.name;
        ASSERT_EQ(results[i].earned, alone.earned);
      }
    }
  }
  EXPECT_EQ(checked, 12);
}

TEST(EveryPolicyConforms, ObservationsMadeInAdvanceChangeNothing) {
  for (const PolicyEntry& entry : policy_catalog()) {
    for (const Bandit& bandit : test_bandits()) {
      const Setting setting = setting_for(entry, bandit, 300);
      const auto observed =
          std::make_shared<const ObservationTable>(observe_all(bandit, setting.seed, setting.replicate, 300));
      const std::vector<Pulls> horizon{300};
      const RunResult result = play_on(PolicyChoice(entry.name), World(bandit, observed), setting, horizon)[0];
      const RunResult drawn = play_traced(entry, bandit, 300).result;
      ASSERT_EQ(result.pulls, drawn.pulls) << entry.name << " on " << bandit.name;
      ASSERT_EQ(result.earned, drawn.earned);
    }
  }
}

TEST(EveryPolicyConforms, RunsPlayedTogetherAreThoseOfSeparateRuns) {
  const std::vector<Pulls> horizons{1, 2, 7, 30, 100, 333, 340};
  for (const PolicyEntry& entry : policy_catalog()) {
    for (const Bandit& bandit : test_bandits()) {
      std::vector<Setting> settings;
      settings.reserve(horizons.size());
      for (const Pulls horizon : horizons) settings.push_back(setting_for(entry, bandit, horizon));
      const World world(bandit, settings[0].seed, settings[0].replicate);
      const std::vector<RunResult> together = play_each_on(PolicyChoice(entry.name), world, settings);
      ASSERT_EQ(together.size(), horizons.size());
      for (std::size_t i = 0; i < horizons.size(); ++i) {
        const RunResult alone = play_traced(entry, bandit, horizons[i]).result;
        ASSERT_EQ(together[i].pulls, alone.pulls) << entry.name << " on " << bandit.name << ", " << horizons[i];
        ASSERT_EQ(together[i].earned, alone.earned);
      }
    }
  }
}

TEST(EveryPolicyConforms, OnlyRandomizedPoliciesDependOnTheirSeed) {
  Bandit bandit = named_bandit("recommender_A");
  bandit.noise = Gaussian{0.05};
  const auto observed = std::make_shared<const ObservationTable>(observe_all(bandit, 1, 0, 400));
  const std::vector<Pulls> horizons{20, 400};  // 20 for ptrr: its order of arms matters only until it has left them all
  for (const PolicyEntry& entry : policy_catalog()) {
    const auto pulls = [&](std::uint64_t seed) {
      std::vector<std::vector<Pulls>> counts;
      for (const RunResult& result :
           play_on(PolicyChoice(entry.name), World(bandit, observed), setting_for(entry, bandit, 400, seed), horizons))
        counts.push_back(result.pulls);
      return counts;
    };
    EXPECT_EQ(pulls(1) != pulls(2) || pulls(1) != pulls(3), entry.traits.randomized) << entry.name;
  }
}

TEST(Play, RefusesSettingsThatDoNotFitTheBandit) {
  const Bandit bandit{
      .name = "short", .arm_names = {"a"}, .arms = {Curve::from_rewards({0.1, 0.2})}, .recorded_noise = nullptr};
  const PolicyChoice greedy("greedy");
  EXPECT_NO_THROW(play(greedy, bandit, {.arms = 1, .horizon = 2}));
  EXPECT_THROW(play(greedy, bandit, {.arms = 1, .horizon = 3}), InputError);
  EXPECT_THROW(play(greedy, bandit, {.arms = 2, .horizon = 2}), InputError);
  std::vector<Arm> trace(1);
  EXPECT_THROW(play(greedy, bandit, {.arms = 1, .horizon = 2}, trace), InputError);
}

}  // namespace
}  // namespace longrun
