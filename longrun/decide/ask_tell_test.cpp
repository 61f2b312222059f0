// Policies outside the play loop, where rewards come late, twice, unasked or from another arm.
#include "longrun/decide/ask_tell.h"

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
      const Arm pulled = random() % 2 == 0 ? suggested : static_cast<Arm>(random() % 3);
      policy->observe(pulled, reward_of(pulled));
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
      if (random() % 3 > 0) policy->observe(arm, reward_of(arm));  // the others stay in flight
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
    for (int i = 0; i < 60; ++i) {  // the rewards come back, last first
      for (Arm arm = 3; arm >= 0; --arm) policy->observe(arm, reward_of(arm));
    }
    for (int i = 0; i < 200; ++i) {
      const Arm arm = policy->choose();
      policy->observe(arm, reward_of(arm));
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
    for (int i = 0; i < 400; ++i) policy->observe(1, reward_of(1));
    for (int i = 0; i < 30; ++i) policy->observe(2, reward_of(2));
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
    EXPECT_THROW(policy->observe(0, std::numeric_limits<double>::quiet_NaN()), InputError);
    EXPECT_THROW(policy->observe(0, std::numeric_limits<double>::infinity()), InputError);
    EXPECT_THROW(policy->observe(2, 0.5), InputError);
    EXPECT_THROW(policy->observe(-1, 0.5), InputError);
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
  const auto complaint = [](const char* text) {
    try {
      PolicyChoice choice(text);
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string("no complaint");
  };
  EXPECT_NE(complaint("sop").find("did you mean 'spo'?"), std::string::npos) << complaint("sop");
  EXPECT_NE(complaint("exp3:gama=1").find("did you mean 'gamma'?"), std::string::npos);
  EXPECT_NE(complaint("optimal:x=1").find("it has none"), std::string::npos);
  EXPECT_NE(complaint("exp3:gamma=2").find("from 0 to 1"), std::string::npos) << complaint("exp3:gamma=2");
  EXPECT_NE(complaint("exp3:gamma=nan").find("from 0 to 1"), std::string::npos);
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
