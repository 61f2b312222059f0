// Studies: decisions, and outcomes in any order.
#include "longrun/decide/study/study.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <random>

#include "longrun/data/named_bandits.h"
#include "longrun/decide/study/study_snapshot.h"
#include "longrun/policy/catalog.h"
#include "longrun/simulate/world.h"
#include "tests/error_of.h"
#include "tests/made_study.h"

namespace longrun {
namespace {

TEST(Study, DecidesAndSettlesInAnyOrder) {
  Study study(three_arms(100));
  const Decided first = study.decide(3);
  ASSERT_EQ(first.decisions.size(), 3U);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(first.decisions[i].id, static_cast<DecisionId>(i + 1));
    EXPECT_EQ(first.decisions[i].arm, static_cast<Arm>(i)) << "nothing is known: arms in turn";
    EXPECT_EQ(first.decisions[i].pull, 1);
    EXPECT_EQ(first.decisions[i].cause, PullCause::choice);
  }
  EXPECT_EQ(study.spent(), 3);
  study.settle(2, Outcome::observed(0.5));
  study.settle(3, Outcome::lost());
  study.settle(1, Outcome::voided());
  EXPECT_EQ(study.spent(), 2);
  EXPECT_EQ(study.pulls(0), 0);
  EXPECT_EQ(study.pulls(2), 1);
  EXPECT_TRUE(study.pending().empty());
  const Decided next = study.decide();
  EXPECT_EQ(next.decisions[0].id, 4);
  EXPECT_EQ(next.decisions[0].arm, 0);
  EXPECT_EQ(next.decisions[0].pull, 1);
}

TEST(Study, RefusesWhatDoesNotFitAndChangesNothing) {
  Study study(three_arms(10));
  study.decide(2);
  study.settle(1, Outcome::observed(0.5));
  const std::string before = snapshot(study);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(error_of([&] { study.settle(1, Outcome::lost()); }), "decision 1 is settled already");
  EXPECT_EQ(error_of([&] { study.settle(3, Outcome::lost()); }), "there is no decision 3; the last one is 2");
  EXPECT_EQ(error_of([&] { study.settle(0, Outcome::lost()); }), "there is no decision 0; the last one is 2");
  EXPECT_EQ(error_of([&] { study.settle(2, Outcome::observed(nan)); }), "reward nan of arm 'b' is not a finite number");
  EXPECT_EQ(error_of([&] { study.settle(2, Outcome::observed(5)); }),
            "reward 5 of arm 'b' is further outside the scale 0 to 1 than noise explains; check the reward, because "
            "the scale of a study cannot change");
  EXPECT_EQ(error_of([&] { study.observe(3, 0.5); }), "arm 3 is not one of 0..2");
  EXPECT_EQ(error_of([&] { study.decide(0); }), "count: 0 is less than 1");
  EXPECT_NE(error_of([&] { study.decide(1, std::vector<Arm>{1, 0}); }).find("ascending"), std::string::npos);
  EXPECT_NE(error_of([&] { study.set_unavailable({0, 7}); }).find("arm 7"), std::string::npos);
  EXPECT_EQ(error_of([&] { study.add_arm("a"); }), "'a' is an arm of the study already; names must differ");
  EXPECT_NE(error_of([&] { study.extend_budget(0); }).find("units: 0"), std::string::npos);
  EXPECT_EQ(snapshot(study), before);
}

TEST(Study, RefusesAnInvalidSpecification) {
  EXPECT_NE(error_of([] { Study({.arms = {}}); }).find("arms"), std::string::npos);
  EXPECT_NE(error_of([] { Study({.arms = {"a", "a"}}); }).find("'a' is given twice"), std::string::npos);
  EXPECT_NE(error_of([] { Study({.arms = {"a", ""}}); }).find("empty name"), std::string::npos);
  EXPECT_EQ(error_of([] { Study({.arms = {"a", "b\xff"}}); }), "arms: the name of an arm is not valid UTF-8");
  EXPECT_NE(error_of([] { Study({.arms = {"a"}, .budget = 0}); }).find("budget: 0 is not in 1.."), std::string::npos);
  EXPECT_NE(error_of([] { Study({.arms = {"a"}, .scale = {1, 1}}); }).find("scale"), std::string::npos);
  EXPECT_NE(error_of([] { Study({.arms = {"a"}, .policy = "optimal"}); }).find("known reward curves"),
            std::string::npos);
  EXPECT_NE(error_of([] { Study({.arms = {"a"}, .policy = "sop"}); }).find("did you mean 'spo'"), std::string::npos);
}

TEST(Study, AcceptsRewardsOnItsScaleAndSlightlyOutside) {
  Study study({.arms = {"a", "b"}, .budget = 1'000, .scale = {0, 40}, .policy = "ucb"});
  int better = 0;
  for (int step = 0; step < 1'000; ++step) {
    const Decision decision = study.decide().decisions[0];
    better += decision.arm;
    study.settle(decision.id, Outcome::observed(decision.arm == 0 ? 5 : 30));
  }
  EXPECT_GT(better, 800);
  Study unit(three_arms(10));
  unit.observe(0, -0.2);  // noise of sd 0.1
  unit.observe(0, 1.1);
}

TEST(Study, AcceptsExactlyTheRewardsThatItsNoiseExplains) {
  const auto accepts = [](const Noise& noise, double reward) {
    Study study({.arms = {"a"}, .budget = 10, .noise = noise});
    return error_of([&] { study.observe(0, reward); }) == "no error";
  };
  EXPECT_TRUE(accepts(Bernoulli{}, 1) && accepts(Bernoulli{}, 0));
  EXPECT_FALSE(accepts(Bernoulli{}, 0.5) || accepts(Bernoulli{}, 2) || accepts(Bernoulli{}, -1));
  EXPECT_TRUE(accepts(Uniform{0.2}, 1.2));
  EXPECT_FALSE(accepts(Uniform{0.2}, 1.3));
  EXPECT_TRUE(accepts(Gaussian{0.1}, 1.6));
  EXPECT_FALSE(accepts(Gaussian{0.1}, 2));
  EXPECT_TRUE(accepts(NoNoise{}, 1));
  EXPECT_FALSE(accepts(NoNoise{}, 1.1));
  Study euros({.arms = {"a"}, .budget = 10, .scale = {0, 50}, .noise = Bernoulli{}});
  EXPECT_EQ(error_of([&] { euros.observe(0, 1); }), "reward 1 of arm 'a': with yes/no rewards it must be 0 or 50");
}

TEST(Study, AcceptsTheRewardsOfItsOwnNoise) {
  for (const Noise& noise : {Noise(Gaussian{0.5}), Noise(StudentT{0.1}), Noise(Uniform{0.3}), Noise(Bernoulli{})}) {
    Bandit bandit = named_bandit("const_1").tabulated(20'000);
    bandit.noise = noise;
    Study study({.arms = bandit.arm_names, .budget = 20'000, .noise = noise, .policy = "greedy"});
    World world(bandit, 1, 0);
    for (int step = 0; step < 20'000; ++step) {
      const Decision decision = study.decide().decisions[0];
      study.settle(decision.id, Outcome::observed(world.pull(decision.arm)));
    }
  }
}

TEST(Study, AnArmWhoseOutcomesNeverArriveCostsFewPulls) {
  for (const PolicyEntry& entry : policy_catalog()) {
    if (entry.traits.needs_plan) continue;
    for (const Arm mute : {0, 1}) {
      Study study({.arms = {"a", "b"}, .budget = 1'000, .noise = Gaussian{0.1}, .policy = std::string(entry.name)});
      for (int step = 0; step < 1'000; ++step) {
        const Decision decision = study.decide().decisions[0];
        if (decision.arm != mute) study.settle(decision.id, Outcome::observed(0.9 + 0.01 * (step % 3)));
      }
      EXPECT_LE(study.pulls(mute), 12) << entry.name << ", arm " << mute;
      EXPECT_GE(study.pulls(mute), 5) << entry.name << ", arm " << mute;
    }
  }
}

TEST(Study, SpendsItsBudgetAndNoMore) {
  Study study(three_arms(5));
  EXPECT_EQ(study.decide(9).decisions.size(), 5U);
  EXPECT_EQ(error_of([&] { study.decide(); }), "the budget of 5 units is spent; extend it to go on");
  study.settle(3, Outcome::voided());
  EXPECT_EQ(study.decide(9).decisions.size(), 1U);
  EXPECT_NE(error_of([&] { study.observe(0, 0.5); }).find("the budget of 5 units has 0 left"), std::string::npos);
  study.extend_budget(2);
  EXPECT_EQ(study.decide(9).decisions.size(), 2U);
}

TEST(Study, ChoosesAmongTheArmsAskedFor) {
  for (const PolicyEntry& entry : policy_catalog()) {
    if (entry.traits.needs_plan) continue;
    StudySpec spec = three_arms(200);
    spec.policy = entry.name;
    Study study(spec);
    const std::vector<Arm> among{0, 2};
    study.set_unavailable({2});
    for (int step = 0; step < 50; ++step) EXPECT_EQ(study.decide(1, among).decisions.at(0).arm, 0) << entry.name;
    study.set_unavailable({});
    bool chosen = false;
    for (int step = 0; step < 50; ++step) {
      const Arm arm = study.decide(1, among).decisions.at(0).arm;
      EXPECT_NE(arm, 1) << entry.name;
      chosen = chosen || arm == 2;
    }
    EXPECT_TRUE(chosen) << entry.name;
  }
}

TEST(Study, AnAddedArmIsTried) {
  for (const PolicyEntry& entry : policy_catalog()) {
    if (entry.traits.needs_plan) continue;
    StudySpec spec = three_arms(2'000);
    spec.policy = entry.name;
    Study study(spec);
    const auto play = [&](int steps) {
      for (int step = 0; step < steps; ++step) {
        const Decision decision = study.decide().decisions[0];
        study.settle(decision.id, Outcome::observed(decision.arm == 3 ? 0.9 : 0.1 * decision.arm));
      }
    };
    play(300);
    study.add_arm("d");
    EXPECT_EQ(study.spec().arms.size(), 4U);
    play(600);
    if (entry.name == "ptrr") continue;  // it keeps an arm that is good enough
    EXPECT_GT(study.pulls(3), 0) << entry.name;
  }
}

TEST(Study, OutcomesInAnyOrderAreThoseOfTheirPulls) {
  for (const PolicyEntry& entry : policy_catalog()) {
    if (entry.traits.needs_plan) continue;
    std::vector<std::string> states;
    for (const int order : {0, 1, 2}) {
      Study study(
          {.arms = {"rising", "flat"}, .budget = 1'000, .noise = Gaussian{0.02}, .policy = std::string(entry.name)});
      std::vector<Decision> all;
      for (const Arm arm : {0, 1}) {
        const std::vector<Arm> only{arm};
        const Decided decided = study.decide(50, only);
        all.insert(all.end(), decided.decisions.begin(), decided.decisions.end());
      }
      if (order == 1) std::reverse(all.begin(), all.end());
      if (order == 2) std::shuffle(all.begin(), all.end(), std::mt19937(1));
      std::stable_partition(all.begin(), all.end(), [](const Decision& decision) { return decision.arm == 0; });
      for (const Decision& decision : all) {
        const double reward = decision.arm == 0 ? 0.01 * static_cast<double>(decision.pull) : 0.4;
        study.settle(decision.id, Outcome::observed(reward));
      }
      EXPECT_TRUE(study.pending().empty());
      std::string choices;
      for (const Decision& decision : study.decide(20).decisions) choices += std::to_string(decision.arm);
      states.push_back(choices);
    }
    EXPECT_EQ(states[0], states[1]) << entry.name;
    EXPECT_EQ(states[0], states[2]) << entry.name;
  }
}

TEST(Study, AnOutcomeThatNeverArrivesKeepsNothingBackForLong) {
  Study study({.arms = {"a", "b"}, .budget = 10'000, .noise = Gaussian{0.1}});
  for (int step = 0; step < 2'000; ++step) {
    const Decision decision = study.decide().decisions[0];
    const bool is_forgotten = decision.pull == 3;
    if (!is_forgotten) study.settle(decision.id, Outcome::observed(decision.arm == 0 ? 0.3 : 0.8));
  }
  EXPECT_GT(study.pulls(1), 1'700);
  EXPECT_EQ(study.pending().size(), 2U);
  EXPECT_LT(snapshot(study).size(), 16'000U) << "the pulls after the forgotten ones take no memory";
  for (const Study::Pending& late : study.pending()) study.settle(late.id, Outcome::observed(0.5));
  EXPECT_TRUE(study.pending().empty());
}

TEST(Study, RefusesRecordedDecisionsThatDoNotFollow) {
  const auto error = [](std::vector<Decision> decisions) {
    Study study(three_arms(2));
    return error_of([&] { study.apply(Decided{.round = 1, .decisions = std::move(decisions)}); });
  };
  EXPECT_EQ(error({{1, 0, 1}, {2, 1, 1}}), "no error");
  EXPECT_EQ(error({{1, 0, 44}}), "decision 1: pull 44 of arm 'a'; its next pull is number 1");
  EXPECT_EQ(error({{1, 0, 1}, {2, 1, 1}, {3, 2, 1}}), "the decisions cost 3 units; the budget of 2 units has 2 left");
}

TEST(Study, UnknownNoiseIsNotExact) {
  Study study({.arms = {"a", "b"}, .budget = 1'000, .policy = "ucb"});
  for (int pull = 0; pull < 50; ++pull) {
    study.observe(0, pull % 2);  // 0.5 on average, and the last reward is 1
    study.observe(1, 0.8);
  }
  Pulls better = 0;
  for (const Decision& decision : study.decide(100).decisions) better += decision.arm;
  EXPECT_GT(better, 60) << "pending pulls of arm a pay 0.5, not its last reward";
}

TEST(Study, RefusesASpecificationThatDoesNotReadBack) {
  StudySpec spec = three_arms(100);
  spec.constraints.minimum_pulls = {.every = 5, .named = {{0, 1}, {1, 1}, {2, 1}}, .listed = true};
  EXPECT_NE(error_of([&] { Study{spec}; }).find("one of them is enough"), std::string::npos);
}

}  // namespace
}  // namespace longrun
