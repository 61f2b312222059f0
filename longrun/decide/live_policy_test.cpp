// Policies outside the play loop, where rewards come late, never, unasked or from another arm.
#include "longrun/decide/live_policy.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "longrun/base/input_error.h"
#include "longrun/policy/catalog.h"
#include "longrun/policy/exp3.h"
#include "longrun/simulate/play.h"
#include "longrun/simulate/world.h"
#include "tests/error_of.h"
#include "tests/long_tests.h"

namespace longrun {
namespace {

/// Arm 1 is best by far, arm 0 worst.
double reward_of(Arm arm) { return arm == 1 ? 0.9 : 0.1 * arm; }

Setting setting_for(const PolicyEntry& entry, Arm arms, Pulls horizon) {
  Setting setting{.arms = arms, .horizon = horizon};
  if (entry.traits.needs_plan) {
    setting.plan.assign(static_cast<std::size_t>(arms), 0);
    setting.plan[1] = horizon;
  }
  return setting;
}

TEST(EveryPolicy, TakesRewardsOfArmsItDidNotSuggest) {
  for (const PolicyEntry& entry : policy_catalog()) {
    const auto policy = make_policy(PolicyChoice(entry.name), setting_for(entry, 3, 500));
    std::mt19937 random(1);
    std::vector<int> chosen(3);
    for (int step = 0; step < 500; ++step) {
      const Arm suggested = policy->choose();
      ASSERT_GE(suggested, 0);
      ASSERT_LT(suggested, 3);
      if (random() % 2 == 0) {
        policy->observe(suggested, reward_of(suggested));
      } else {
        const auto pulled = static_cast<Arm>(random() % 3);
        policy->cancel(suggested);
        policy->add(pulled, reward_of(pulled));
      }
      if (step >= 100) ++chosen[static_cast<std::size_t>(suggested)];
    }
    EXPECT_GT(chosen[1], chosen[0] / 2 + chosen[2] / 2) << entry.name;  // the best arm is not starved by it
  }
}

TEST(EveryPolicy, ChoosesAmongTheArmsAllowed) {
  const std::vector<std::vector<Arm>> choices{{0}, {3}, {0, 2}, {1, 3}, {0, 1, 2, 3}, {2, 3}};
  for (const PolicyEntry& entry : policy_catalog()) {
    const auto policy = make_policy(PolicyChoice(entry.name), setting_for(entry, 4, 300));
    std::mt19937 random(2);
    for (int step = 0; step < 300; ++step) {
      const std::vector<Arm>& allowed = choices[random() % choices.size()];
      const Arm arm = policy->choose({.arms = allowed});
      ASSERT_NE(std::find(allowed.begin(), allowed.end(), arm), allowed.end()) << entry.name;
      if (random() % 3 > 0) policy->observe(arm, reward_of(arm));  // the others stay pending
    }
  }
}

TEST(EveryPolicy, ChoosesAmongAllAsWithoutRestriction) {
  const std::vector<Arm> all{0, 1, 2};
  for (const PolicyEntry& entry : policy_catalog()) {
    const auto free = make_policy(PolicyChoice(entry.name), setting_for(entry, 3, 200));
    const auto restricted = make_policy(PolicyChoice(entry.name), setting_for(entry, 3, 200));
    for (int step = 0; step < 200; ++step) {
      const Arm arm = free->choose();
      ASSERT_EQ(restricted->choose({.arms = all}), arm) << entry.name << ", step " << step;
      if (step % 5 == 0) continue;
      free->observe(arm, reward_of(arm));
      restricted->observe(arm, reward_of(arm));
    }
  }
}

TEST(EveryPolicy, RefusesChoicesThatAreNone) {
  const std::vector<Pulls> costs{1, 2};
  for (const PolicyEntry& entry : policy_catalog()) {
    const auto policy = make_policy(PolicyChoice(entry.name), setting_for(entry, 3, 10));
    for (const std::vector<Arm>& arms : std::vector<std::vector<Arm>>{{}, {3}, {-1}, {1, 0}, {1, 1}}) {
      EXPECT_THROW(policy->choose({.arms = arms}), InputError) << entry.name;
    }
    const std::vector<Arm> two{0, 1};
    EXPECT_THROW(policy->choose({.arms = two, .costs = costs}), InputError) << entry.name;
  }
}

TEST(EveryPolicy, SpreadsItsInitialPullsWhileRewardsAreInFlight) {
  for (const PolicyEntry& entry : policy_catalog()) {
    if (entry.traits.needs_plan) continue;
    const auto policy = make_policy(PolicyChoice(entry.name), setting_for(entry, 4, 10'000));
    std::vector<int> chosen(4);
    for (int i = 0; i < 60; ++i) ++chosen[static_cast<std::size_t>(policy->choose())];
    for (const int count : chosen) EXPECT_GE(count, 1) << entry.name << ": an arm was not tried once in 60 suggestions";
    for (Arm arm = 3; arm >= 0; --arm) {  // the rewards come back, last arm first
      while (policy->pending(arm) > 0) policy->observe(arm, reward_of(arm));
    }
    for (int i = 0; i < 200; ++i) {
      const Arm arm = policy->choose();
      policy->observe(arm, reward_of(arm));
    }
  }
}

/// Plays two arms that pay 0.3 and 0.7, with `percent` of the outcomes lost: told so if `told`, else pending for ever.
Pulls pulls_of_the_better_arm(const PolicyEntry& entry, Pulls delay, int percent, bool told, std::uint64_t seed) {
  constexpr Pulls kHorizon = 1'000;
  Setting setting = setting_for(entry, 2, kHorizon);
  setting.noise = Gaussian{0.1};
  setting.seed = seed;
  const auto policy = make_policy(PolicyChoice(entry.name), setting);
  std::mt19937_64 random(seed);
  std::normal_distribution<double> noise(0, 0.1);
  std::vector<Arm> chosen;
  Pulls better = 0;
  for (Pulls step = 0; step < kHorizon; ++step) {
    chosen.push_back(policy->choose());
    better += chosen.back();
    if (step < delay) continue;
    const Arm arm = chosen[static_cast<std::size_t>(step - delay)];
    const bool lost = static_cast<int>(random() % 100) < percent;
    if (!lost) policy->observe(arm, (arm == 1 ? 0.7 : 0.3) + noise(random));
    if (lost && told) policy->lose(arm);
  }
  return better;
}

TEST(EveryPolicy, FindsTheBetterArmWithLostAndLateRewards) {
  constexpr std::uint64_t kSeeds = sanitizer_slowdown() > 1 ? 1 : 5;
  for (const PolicyEntry& entry : policy_catalog()) {
    if (entry.traits.needs_plan || entry.name == "increasing" || entry.name == "ptrr") continue;  // noise drops arms
    for (const Pulls delay : {0, 1, 10, 100}) {
      for (const bool told : {true, false}) {
        for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
          EXPECT_GT(pulls_of_the_better_arm(entry, delay, 30, told, seed), 100)
              << entry.name << ", delay " << delay << (told ? ", told" : ", not told");
        }
      }
    }
  }
}

TEST(EveryPolicy, AsksAgainForAnArmWhoseFirstRewardsNeverArrive) {
  for (const PolicyEntry& entry : policy_catalog()) {
    if (entry.traits.needs_plan) continue;
    for (const bool told : {true, false}) {
      const auto policy = make_policy(PolicyChoice(entry.name), setting_for(entry, 2, 2'000));
      Pulls silent = 0;
      for (int step = 0; step < 2'000; ++step) {
        const Arm arm = policy->choose();
        if (arm == 0) {
          policy->observe(arm, 0.5);
        } else {
          ++silent;
          if (told) policy->lose(arm);
        }
      }
      EXPECT_GE(silent, 9) << entry.name;
      if (entry.name != "greedy") continue;
      EXPECT_LE(silent, 12);  // the doubling of LivePolicy alone
    }
  }
}

TEST(LivePolicy, APlanIsFollowedWhilePullsArePending) {
  const auto policy = make_policy(PolicyChoice("optimal"), {.arms = 2, .horizon = 10, .plan = {10, 0}});
  for (int pull = 0; pull < 10; ++pull) EXPECT_EQ(policy->choose(), 0);
}

TEST(EveryPolicy, ACancelledChoiceLeavesNoTrace) {
  for (const PolicyEntry& entry : policy_catalog()) {
    if (entry.name == "exp3" || entry.name == "r-exp3") continue;  // the next choice is another draw
    const auto disturbed = make_policy(PolicyChoice(entry.name), setting_for(entry, 3, 300));
    const auto plain = make_policy(PolicyChoice(entry.name), setting_for(entry, 3, 300));
    for (int step = 0; step < 300; ++step) {
      for (int i = 0; i < step % 4; ++i) disturbed->cancel(disturbed->choose());
      const Arm arm = plain->choose();
      ASSERT_EQ(disturbed->choose(), arm) << entry.name << ", step " << step;
      disturbed->observe(arm, reward_of(arm));
      plain->observe(arm, reward_of(arm));
    }
  }
}

TEST(EveryPolicy, SettlesOnTheBestArmWithFivePullsAlwaysInFlight) {
  for (const PolicyEntry& entry : policy_catalog()) {
    if (entry.name == "exp3" || entry.name == "r-exp3")
      continue;  // explore for ever: too slow to settle in so short a run
    const auto policy = make_policy(PolicyChoice(entry.name), setting_for(entry, 3, 2'000));
    std::vector<Arm> in_flight;
    int best = 0;
    for (int step = 0; step < 2'000; ++step) {
      in_flight.push_back(policy->choose());
      if (step >= 1'000 && in_flight.back() == 1) ++best;
      if (in_flight.size() < 5) continue;
      policy->observe(in_flight.front(), reward_of(in_flight.front()));
      in_flight.erase(in_flight.begin());
    }
    EXPECT_GT(best, 800) << entry.name;
  }
}

TEST(EveryPolicy, BuildsOnALoggedHistory) {
  for (const PolicyEntry& entry : policy_catalog()) {
    const auto policy = make_policy(PolicyChoice(entry.name), setting_for(entry, 3, 2'000));
    for (int i = 0; i < 400; ++i) policy->add(1, reward_of(1));
    for (int i = 0; i < 30; ++i) policy->add(2, reward_of(2));
    std::vector<int> chosen(3);
    for (int step = 430; step < 2'000; ++step) {
      const Arm arm = policy->choose();
      ++chosen[static_cast<std::size_t>(arm)];
      policy->observe(arm, reward_of(arm));
    }
    EXPECT_GT(chosen[1], chosen[0] + chosen[2]) << entry.name;
    if (!entry.traits.needs_plan && entry.name != "ptrr") {  // ptrr stays with a good arm before it comes to all
      EXPECT_GT(chosen[0], 0) << entry.name << " never tried the arm without history";
    }
  }
}

TEST(EveryPolicy, GoesOnBeyondItsHorizon) {
  for (const PolicyEntry& entry : policy_catalog()) {
    const auto policy = make_policy(PolicyChoice(entry.name), setting_for(entry, 2, 10));
    for (int step = 0; step < 100; ++step) {
      const Arm arm = policy->choose();
      policy->observe(arm, reward_of(arm));
    }
  }
}

TEST(EveryPolicy, RefusesWhatIsNoReward) {
  for (const PolicyEntry& entry : policy_catalog()) {
    const auto policy = make_policy(PolicyChoice(entry.name), setting_for(entry, 2, 10));
    EXPECT_THROW(policy->add(0, std::numeric_limits<double>::quiet_NaN()), InputError);
    EXPECT_THROW(policy->add(0, std::numeric_limits<double>::infinity()), InputError);
    EXPECT_THROW(policy->add(2, 0.5), InputError);
    EXPECT_THROW(policy->add(-1, 0.5), InputError);
    const Arm arm = policy->choose();
    EXPECT_THROW(policy->observe(arm, std::numeric_limits<double>::quiet_NaN()), InputError);
    EXPECT_THROW(policy->observe(1 - arm, 0.5), InputError) << "no pull of it is pending";
    EXPECT_THROW(policy->lose(1 - arm), InputError);
    EXPECT_THROW(policy->cancel(2), InputError);
    EXPECT_EQ(policy->pending(arm), 1);
  }
}

TEST(PolicyChoice, SetsParameters) {
  const Bandit bandit{
      .name = "two", .arm_names = {"a", "b"}, .arms = {Constant{0.5}, Constant{0.4}}, .recorded_noise = nullptr};
  const Setting setting{.arms = 2, .horizon = 1'000};
  const auto pulls = [&](const char* text) { return play(PolicyChoice(text), bandit, setting).pulls; };
  EXPECT_EQ(pulls("spo:initial_pulls=20")[1], 20);
  EXPECT_GT(pulls("ucb:exploration=5")[1], pulls("ucb")[1]);
  EXPECT_EQ(pulls("ucb:exploration=0"), (std::vector<Pulls>{999, 1}));
  EXPECT_NE(pulls("d-ucb:discount=0.9,exploration=1"), pulls("d-ucb:exploration=1"));
  EXPECT_NE(pulls("sw-ucb:window=10"), pulls("sw-ucb"));
  EXPECT_NEAR(static_cast<double>(pulls("exp3:gamma=1")[0]), 500, 80);
  EXPECT_NE(pulls("r-exp3:batch=7"), pulls("r-exp3"));
}

TEST(PolicyChoice, NamesWhatItDoesNotKnow) {
  const auto error_for = [](const char* text) { return error_of([&] { PolicyChoice choice(text); }); };
  EXPECT_NE(error_for("sop").find("did you mean 'spo'?"), std::string::npos) << error_for("sop");
  EXPECT_NE(error_for("exp3:gama=1").find("did you mean 'gamma'?"), std::string::npos);
  EXPECT_NE(error_for("optimal:x=1").find("it has none"), std::string::npos);
  EXPECT_NE(error_for("exp3:gamma=2").find("from 0 to 1"), std::string::npos) << error_for("exp3:gamma=2");
  EXPECT_NE(error_for("exp3:gamma=nan").find("from 0 to 1"), std::string::npos);
  for (const char* wrong :
       {"", ":", "spo:", "spo:initial_pulls", "spo:initial_pulls=", "exp3:gamma=0.1,", "exp3:gamma=0.1,gamma=0.2"}) {
    EXPECT_THROW(PolicyChoice{wrong}, InputError) << wrong;
  }
  EXPECT_THROW(make_policy(PolicyChoice("optimal"), {.arms = 2, .horizon = 5}), InputError);
  EXPECT_THROW(make_policy(PolicyChoice("spo"), {.arms = 0, .horizon = 5}), InputError);
  EXPECT_THROW(make_policy(PolicyChoice("spo"), {.arms = 2, .horizon = 0}), InputError);
  EXPECT_THROW(make_policy(PolicyChoice("spo"), {.arms = 2, .horizon = 5, .half_width = -0.1}), InputError);
}

TEST(Exp3, WeightsStayFiniteAndAnArmFarBehindCatchesUp) {
  Exp3 policy({.arms = 2, .horizon = 1'000'000}, 0.1);
  for (int i = 0; i < 300'000; ++i) policy.observe(0, 1);  // weight e^(thousands): any plain product overflows
  int first = 0;
  for (int i = 0; i < 1'000; ++i) first += policy.choose() == 0 ? 1 : 0;
  EXPECT_NEAR(first, 950, 40);
  for (int i = 0; i < 300'000; ++i) policy.observe(1, 1);
  first = 0;
  for (int i = 0; i < 1'000; ++i) first += policy.choose() == 0 ? 1 : 0;
  EXPECT_NEAR(first, 50, 40);
}

}  // namespace
}  // namespace longrun
