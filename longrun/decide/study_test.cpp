// Studies: decisions, outcomes in any order, corrections, replay, JSON.
#include "longrun/decide/study.h"

#include <gtest/gtest.h>

#include <limits>
#include <random>

#include "longrun/data/named_bandits.h"
#include "longrun/decide/study_json.h"
#include "longrun/decide/study_log.h"
#include "longrun/decide/study_snapshot.h"
#include "longrun/policy/catalog.h"
#include "longrun/simulate/world.h"
#include "tests/error_of.h"

namespace longrun {
namespace {

StudySpec three_arms(Pulls budget) { return {.arms = {"a", "b", "c"}, .budget = budget, .noise = Gaussian{0.1}}; }

const Decided& decided(const Event* event) { return std::get<Decided>(*event); }

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
  EXPECT_EQ(error_of([&] { study.settle(2, Outcome::observed(nan)); }),
            "reward nan of arm 1 (b) is not a finite number");
  EXPECT_EQ(error_of([&] { study.settle(2, Outcome::observed(5)); }),
            "reward 5 of arm 1 (b) is further outside the scale 0 to 1 than noise explains; set the scale to the range "
            "of the rewards");
  EXPECT_EQ(error_of([&] { study.observe(3, 0.5); }), "arm 3 is not one of 0..2");
  EXPECT_EQ(error_of([&] { study.decide(0); }), "count: 0 is less than 1");
  EXPECT_NE(error_of([&] { study.decide(1, std::vector<Arm>{1, 0}); }).find("ascending"), std::string::npos);
  EXPECT_NE(error_of([&] { study.set_unavailable({0, 7}); }).find("arm 7"), std::string::npos);
  EXPECT_NE(error_of([&] { study.add_arm("a"); }).find("'a' is given twice"), std::string::npos);
  EXPECT_NE(error_of([&] { study.extend_budget(0); }).find("units: 0"), std::string::npos);
  EXPECT_EQ(snapshot(study), before);
}

TEST(Study, RefusesAnInvalidSpecification) {
  EXPECT_NE(error_of([] { Study({.arms = {}}); }).find("arms"), std::string::npos);
  EXPECT_NE(error_of([] { Study({.arms = {"a", "a"}}); }).find("'a' is given twice"), std::string::npos);
  EXPECT_NE(error_of([] { Study({.arms = {"a", ""}}); }).find("empty name"), std::string::npos);
  EXPECT_EQ(error_of([] { Study({.arms = {"a", "b\xff"}}); }), "arms: the name of arm 1 is not valid UTF-8");
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
  EXPECT_EQ(error_of([&] { euros.observe(0, 1); }), "reward 1 of arm 0 (a): with yes/no rewards it must be 0 or 50");
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

/// Decides and reports `count` rounds; arm k pays 0.5 - k/10.
void play_rounds(Study& study, int count) {
  for (int round = 0; round < count; ++round) {
    for (const Decision& decision : study.decide().decisions) {
      study.settle(decision.id, Outcome::observed(0.5 - 0.1 * decision.arm));
    }
  }
}

TEST(Study, AnAddedArmHasItsShareOfTheUnitsSpentFromThenOn) {
  StudySpec spec = three_arms(1'000);
  spec.policy = "greedy";
  spec.constraints.minimum_share.every = 0.2;
  Study study(spec);
  play_rounds(study, 900);
  study.add_arm("d");
  play_rounds(study, 100);
  EXPECT_TRUE(study.done());
  for (const Arm arm : {0, 1, 2}) EXPECT_GE(study.pulls(arm), 200);
  EXPECT_NEAR(static_cast<double>(study.pulls(3)), 20, 1) << "a fifth of 100 units, not of 1,000";
}

TEST(Study, AnAddedArmWhoseMinimumDoesNotFitIsRefused) {
  StudySpec spec = three_arms(100);
  spec.constraints.minimum_pulls.every = 10;
  Study study(spec);
  play_rounds(study, 91);
  const std::string before = snapshot(study);
  EXPECT_EQ(error_of([&] { study.add_arm("d"); }),
            "with this arm the minima and shares need 10 units, but only 9 are left");
  EXPECT_EQ(snapshot(study), before);
  EXPECT_EQ(study.spec().arms.size(), 3U);
  study.extend_budget(1);
  study.add_arm("d");
  play_rounds(study, 10);
  EXPECT_EQ(study.pulls(3), 10);
}

TEST(Study, AnArmThatBecomesUnavailableDoesNotKeepOthersWaiting) {
  StudySpec spec = three_arms(1'000);
  spec.policy = "greedy";
  spec.constraints.costs = {.every = 1, .named = {{2, 50}}};
  for (const bool by_restriction : {false, true}) {
    Study study(spec);
    study.observe(2, 1.0);  // so that its index per unit of cost is the largest
    for (int pull = 0; pull < 5; ++pull) study.observe(0, 0.0);
    for (int pull = 0; pull < 5; ++pull) study.observe(1, 0.0);
    ASSERT_TRUE(study.decide().decisions.empty()) << "units are being saved for arm 2";
    ASSERT_EQ(study.policy().committed(), 50) << "the choice is committed";
    EXPECT_EQ(study.spent(), 60) << "units that are saved are not spent";
    const std::vector<Arm> others{0, 1};
    if (!by_restriction) study.set_unavailable({2});
    const Decided decided = study.decide(1, by_restriction ? std::span<const Arm>(others) : std::span<const Arm>{});
    ASSERT_FALSE(decided.decisions.empty());
    EXPECT_LT(decided.decisions[0].arm, 2);
    EXPECT_EQ(study.policy().committed(), 0) << "the commitment is given up";
    EXPECT_EQ(study.pulls(2), 1);
  }
}

TEST(Study, AnArmThatWasUnavailableHasItsShareOfTheRest) {
  StudySpec spec = three_arms(1'000);
  spec.policy = "greedy";
  spec.constraints.minimum_share.named[2] = 0.5;
  Study study(spec);
  study.set_unavailable({2});
  play_rounds(study, 800);
  EXPECT_EQ(study.pulls(2), 0);
  study.set_unavailable({});
  play_rounds(study, 200);
  EXPECT_NEAR(static_cast<double>(study.pulls(2)), 100, 1) << "half of 200 units, not of 1,000";
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
  for (const Study::Pending& late : study.pending()) study.settle(late.id, Outcome::observed(0.5));
  EXPECT_TRUE(study.pending().empty());
}

TEST(Study, TheLastRoundGoesOnWhileArmsWereUnavailableAndUnitsAreLeft) {
  StudySpec spec = three_arms(10);
  spec.constraints.units_per_round = 5;
  Study study(spec);
  study.set_unavailable({0, 1, 2});
  EXPECT_TRUE(study.decide().decisions.empty());
  EXPECT_TRUE(study.decide().decisions.empty());
  EXPECT_FALSE(study.done()) << "no unit is spent";
  EXPECT_EQ(error_of([&] { study.decide(); }), "no arm can be pulled now: all arms are unavailable");
  study.set_unavailable({});
  EXPECT_EQ(study.decide().decisions.size(), 10U) << "units are kept";
  EXPECT_TRUE(study.done());
  EXPECT_EQ(error_of([&] { study.decide(); }), "the budget of 10 units is spent; extend it to go on");

  spec.constraints.minimum_pulls.named[1] = 4;
  Study reserved(spec);
  const std::vector<Arm> only{0};
  EXPECT_EQ(reserved.decide(1, only).decisions.size(), 5U);
  EXPECT_EQ(reserved.decide(1, only).decisions.size(), 1U);
  EXPECT_EQ(error_of([&] { reserved.decide(1, only); }),
            "no arm can be pulled now: the 4 units that are left are reserved for minima and shares of other arms, or "
            "too few");
  EXPECT_EQ(reserved.decide().decisions.size(), 4U);
  EXPECT_EQ(reserved.pulls(1), 4);

  spec.constraints.minimum_pulls = {};
  spec.constraints.units_lapse = true;
  Study lapsing(spec);
  lapsing.set_unavailable({0, 1, 2});
  lapsing.decide();
  lapsing.decide();
  EXPECT_TRUE(lapsing.done());
  EXPECT_EQ(error_of([&] { lapsing.decide(); }),
            "all rounds are over, and 10 of 10 units were not spent; extend the budget to go on");
}

TEST(Study, AnUnavailableArmMissesAllPullsHoweverTheyAreMade) {
  StudySpec spec = three_arms(100);
  spec.policy = "greedy";
  spec.constraints.minimum_share.named[2] = 0.5;
  for (const int way : {0, 1, 2, 3}) {
    StudyLog log(spec);
    log.handle(SetUnavailable{{2}});
    if (way == 0) {
      for (int step = 0; step < 60; ++step) log.handle(Decide{});
    } else if (way == 1) {
      log.handle(Decide{.count = 60});
    } else if (way == 2) {
      for (int step = 0; step < 60; ++step) log.handle(Observe{.arm = step % 2, .reward = 0.5});
    } else {  // a correction makes the study decide otherwise than recorded
      log.handle(Decide{.count = 30});
      for (DecisionId id = 1; id <= 30; ++id) log.handle(Report{id, Outcome::observed(id % 2 == 0 ? 0.9 : 0.1)});
      log.handle(Decide{.count = 30});
      log.handle(Correct{2, Outcome::observed(0.0)});
    }
    for (const Study::Pending& pending : log.study().pending()) {
      log.handle(Report{pending.id, Outcome::observed(0.9)});
    }
    log.handle(SetUnavailable{});
    for (int step = 0; step < 40; ++step) {
      const Decision decision = decided(log.handle(Decide{})).decisions[0];
      log.handle(Report{decision.id, Outcome::observed(decision.arm == 2 ? 0.1 : 0.9)});
    }
    EXPECT_NEAR(static_cast<double>(log.study().pulls(2)), 20, 1) << way;
  }
}

TEST(Study, RefusesRecordedDecisionsThatDoNotFollow) {
  const auto error = [](std::vector<Decision> decisions) {
    Study study(three_arms(2));
    return error_of([&] { study.apply(Decided{.round = 1, .decisions = std::move(decisions)}); });
  };
  EXPECT_EQ(error({{1, 0, 1}, {2, 1, 1}}), "no error");
  EXPECT_EQ(error({{1, 0, 44}}), "decision 1: pull 44 of arm 0 (a); its next pull is number 1");
  EXPECT_EQ(error({{1, 0, 1}, {2, 1, 1}, {3, 2, 1}}), "the decisions cost 3 units; the budget of 2 units has 2 left");
}

TEST(StudyLog, TakesTheSameOutcomeTwiceAndNoOther) {
  StudyLog log(three_arms(10));
  log.handle(Decide{2});
  EXPECT_TRUE(log.handle(Report{1, Outcome::observed(0.5)}));
  EXPECT_FALSE(log.handle(Report{1, Outcome::observed(0.5)}));
  EXPECT_EQ(error_of([&] {
              log.handle(Report{1, Outcome::observed(0.6)});
            }),
            "decision 1 has another outcome already: observed 0.5; correct it if that is wrong");
  EXPECT_EQ(error_of([&] { log.handle(Correct{2, Outcome::lost()}); }), "decision 2 is pending; report its outcome");
  EXPECT_EQ(log.events().size(), 2U);
  EXPECT_TRUE(log.handle(Correct{1, Outcome::observed(0.6)}));
  EXPECT_FALSE(log.handle(Correct{1, Outcome::observed(0.6)}));
  EXPECT_FALSE(log.handle(Report{1, Outcome::observed(0.6)})) << "the corrected outcome is the outcome";
}

/// Returns a log after `steps` random decisions and outcomes. `correction` replaces the reward of decision 20.
StudyLog played(const std::string& policy, int steps, double reward_20, std::size_t keep = StudyLog::kAll) {
  StudySpec spec = three_arms(1'000);
  spec.policy = policy;
  StudyLog log(spec, keep);
  std::mt19937_64 random(4);
  std::normal_distribution<double> noise(0, 0.1);
  for (int step = 0; step < steps; ++step) {
    const Decision decision = decided(log.handle(Decide{})).decisions[0];
    const double reward = 0.2 + 0.2 * decision.arm + noise(random);
    log.handle(Report{decision.id, Outcome::observed(decision.id == 20 ? reward_20 : reward)});
  }
  return log;
}

TEST(StudyLog, ACorrectionIsAsIfItHadAlwaysBeenKnown) {
  for (const char* policy : {"foresight", "spo", "ucb", "exp3", "sw-ucb:window=30"}) {
    StudyLog corrected = played(policy, 20, 0.9);
    corrected.handle(Correct{20, Outcome::observed(0.1)});
    StudyLog known = played(policy, 20, 0.1);
    EXPECT_EQ(snapshot(corrected.study()), snapshot(known.study())) << policy;
    StudyLog late = played(policy, 300, 0.9);
    late.handle(Correct{20, Outcome::voided()});
    EXPECT_EQ(late.study().spent(), 299) << policy;
    late.handle(Correct{20, Outcome::observed(0.9)});
    EXPECT_EQ(snapshot(late.study()), snapshot(played(policy, 300, 0.9).study())) << policy;
  }
}

TEST(StudyLog, ASecondCorrectionNeedsTheReportItself) {
  StudyLog log(three_arms(10), 2);
  log.handle(Decide{});
  log.handle(Report{1, Outcome::observed(0.5)});
  log.handle(Correct{1, Outcome::observed(0.6)});
  log.handle(Decide{});  // now the report is no longer kept, but the correction is
  EXPECT_EQ(error_of([&] {
              log.handle(Correct{1, Outcome::observed(0.9)});
            }),
            "the report of decision 1 is no longer kept");
}

TEST(StudyLog, ATrueCorrectionIsNotRefusedBecauseOfWhatCameLater) {
  StudyLog log(three_arms(3));
  log.handle(Decide{3});
  log.handle(Report{1, Outcome::voided()});
  log.handle(Observe{0, 0.5});
  EXPECT_TRUE(log.handle(Correct{1, Outcome::observed(0.5)}));
  EXPECT_EQ(log.study().spent(), 4) << "one more than the budget was really spent";
  EXPECT_NE(error_of([&] { log.handle(Correct{1, Outcome::observed(50)}); }).find("scale"), std::string::npos);
}

TEST(Study, UnitsThatAreGivenBackOrAddedCanBeSpent) {
  Study kept({.arms = {"a", "b"}, .budget = 4, .noise = Gaussian{0.1}, .constraints = {.units_per_round = 2}});
  kept.decide();
  kept.decide();
  kept.settle(1, Outcome::voided());
  kept.settle(2, Outcome::voided());
  EXPECT_EQ(kept.decide().decisions.size(), 2U);
  for (const bool lapse : {false, true}) {
    Study partial({.arms = {"a", "b"},
                   .budget = 5,
                   .noise = Gaussian{0.1},
                   .constraints = {.units_per_round = 2, .units_lapse = lapse}});
    while (!partial.done()) partial.decide();
    EXPECT_EQ(partial.spent(), 5);
    partial.extend_budget(3);
    while (!partial.done()) partial.decide();
    EXPECT_EQ(partial.spent(), 8) << lapse;
  }
}

TEST(Study, GoesOnWhenAMinimumCannotBeMetAnyMore) {
  Constraints constraints;
  constraints.minimum_pulls.named[0] = 1;
  constraints.unavailable[0] = {{51, 100}};
  Study kept({.arms = {"a", "b"}, .budget = 100, .noise = Gaussian{0.1}, .constraints = constraints});
  for (int round = 0; round < 55; ++round) kept.decide();
  for (const Study::Pending& pending : kept.pending()) {
    if (pending.arm == 0) kept.settle(pending.id, Outcome::voided());
  }
  while (!kept.done()) kept.decide();
  EXPECT_EQ(kept.spent(), 100);

  Study lapsing({.arms = {"a", "b"},
                 .budget = 4,
                 .noise = Gaussian{0.1},
                 .constraints = {.units_per_round = 2, .minimum_pulls = {.every = 2}, .units_lapse = true}});
  lapsing.decide();
  lapsing.settle(1, Outcome::voided());
  EXPECT_EQ(lapsing.decide().decisions.size(), 2U);
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

TEST(StudyLog, ForgetsOldEvents) {
  StudyLog log = played("foresight", 300, 0.5, 50);
  EXPECT_GE(log.events().size(), 50U);
  EXPECT_LT(log.events().size(), 101U);
  EXPECT_EQ(log.next_event(), 601);
  EXPECT_EQ(error_of([&] { log.handle(Report{1, Outcome::lost()}); }), "the outcome of decision 1 is no longer kept");
  EXPECT_EQ(error_of([&] { log.handle(Correct{1, Outcome::lost()}); }), "the outcome of decision 1 is no longer kept");
  EXPECT_EQ(snapshot(log.study()), snapshot(played("foresight", 300, 0.5).study()));
  EXPECT_TRUE(log.handle(Correct{300, Outcome::lost()}));
}

TEST(StudyLog, AContinuedLogIsTheSavedOne) {
  for (const std::size_t keep : {std::size_t{50}, StudyLog::kAll}) {
    StudyLog log = played("foresight", 300, 0.5, keep);
    StudyLog continued(restored(snapshot(log.base())), restored(snapshot(log.study())),
                       {log.events().begin(), log.events().end()}, log.first_event(), keep);
    EXPECT_EQ(continued.next_event(), 601);
    EXPECT_EQ(continued.handle(Report{300, std::get<Settled>(*log.events().from(log.events().size() - 1)).outcome}),
              nullptr);
    for (StudyLog* each : {&log, &continued}) {
      each->handle(Correct{290, Outcome::lost()});
      each->handle(Decide{3});
    }
    EXPECT_EQ(snapshot(continued.study()), snapshot(log.study()));
    EXPECT_EQ(continued.events().size(), log.events().size());
  }
  const Study base(three_arms(10));
  EXPECT_NE(error_of([&] { StudyLog(base, Study(three_arms(11)), {}, 1); }).find("different spec"), std::string::npos);
  EXPECT_EQ(error_of([&] { StudyLog(base, base, {}, 0); }), "event 0: events are numbered from 1");
}

TEST(StudyLog, ReplayFindsDecisionsThatItWouldMakeOtherwiseAndKeepsThem) {
  const StudyLog log = played("foresight", 50, 0.5);
  std::vector<Event> events(log.events().begin(), log.events().end());
  StudyLog same(log.study().initial_spec());
  EXPECT_TRUE(same.replay(events).empty());
  EXPECT_EQ(snapshot(same.study()), snapshot(log.study()));

  auto& changed = std::get<Decided>(events[60]);
  const Arm arm = changed.decisions[0].arm;
  changed.decisions[0].arm = (arm + 1) % 3;
  StudyLog before(log.study().initial_spec());
  before.replay(std::span(events).first(60));
  changed.decisions[0].pull = before.study().pulls((arm + 1) % 3) + 1;
  StudyLog other(log.study().initial_spec());
  const auto differences = other.replay(std::span(events).first(61));
  ASSERT_EQ(differences.size(), 1U);
  EXPECT_EQ(differences[0].event, 61);
  EXPECT_EQ(differences[0].difference.recorded, std::vector<Arm>{(arm + 1) % 3});
  EXPECT_EQ(differences[0].difference.recomputed, std::vector<Arm>{arm});
  EXPECT_EQ(other.study().pending()[0].arm, (arm + 1) % 3) << "the record stands";
}

TEST(StudyLog, ReplaysAnOldCorrectionWithFewKeptEvents) {
  StudyLog log = played("foresight", 300, 0.5);
  log.handle(Correct{1, Outcome::lost()});
  StudyLog replayed(log.study().initial_spec(), 10);
  EXPECT_TRUE(replayed.replay(std::vector<Event>(log.events().begin(), log.events().end())).empty());
  EXPECT_EQ(snapshot(replayed.study()), snapshot(log.study()));
  EXPECT_LT(replayed.events().size(), 21U);
}

TEST(StudyLog, ASnapshotHasTheNumberOfItsLastEvent) {
  const StudyLog log = played("foresight", 30, 0.5);
  EXPECT_EQ(last_event_of(snapshot(log)), 60);
  EXPECT_EQ(snapshot(restored(snapshot(log))), snapshot(log.study()));
  EXPECT_EQ(last_event_of(snapshot(log.study())), 0);
}

TEST(StudyLog, AnOutcomeWithoutARewardHasNone) {
  StudyLog log(three_arms(10));
  log.handle(Decide{.count = 2});
  log.handle(Report{1, {OutcomeKind::lost, 0.5}});
  EXPECT_EQ(log.handle(Report{1, Outcome::lost()}), nullptr);
  EXPECT_EQ(error_of([&] {
              log.handle(Report{2, {static_cast<OutcomeKind>(7), 0.5}});
            }),
            "outcome: 7 is no kind of outcome");
}

TEST(StudyLog, ReplayNamesTheEventThatDoesNotFollow) {
  StudyLog log(three_arms(10));
  const std::vector<Event> events{Observed{0, 0.5}, Settled{7, Outcome::lost()}};
  EXPECT_EQ(error_of([&] { log.replay(events); }), "event 2: there is no decision 7; the last one is 0");
}

TEST(StudyJson, ReadsBackWhatItWrites) {
  StudySpec spec{.arms = {"north", "s\"o\nuth"},
                 .budget = 40,
                 .scale = {-1.5, 1e6},
                 .policy = "d-ucb:discount=0.9",
                 .constraints = {.units_per_round = 2, .minimum_share = {.every = 0.1}},
                 .seed = std::numeric_limits<std::uint64_t>::max()};
  const StudyHistory history{
      .spec = spec,
      .events = {
          Decided{
              .round = 1, .decisions = {{1, 0, 1, PullCause::share}, {2, 1, 1, PullCause::minimum}}, .among = {0, 1}},
          Settled{1, Outcome::observed(0.1 + 0.2)}, Settled{2, Outcome::voided()}, Corrected{1, Outcome::lost()},
          Observed{1, 1e5 / 3}, AvailabilityChanged{{1}}, ArmAdded{"third"}, Observed{2, 7}, BudgetExtended{12}}};
  const std::string lines = to_json_lines(history);
  const StudyHistory read = history_from_json_lines(lines);
  EXPECT_EQ(read.spec, spec);
  EXPECT_EQ(read.events, history.events);
  EXPECT_EQ(to_json_lines(read), lines);
}

TEST(StudyJson, NamesLineAndFieldOfWhatItRefuses) {
  const std::string created = to_json(three_arms(10)) + "\n";
  const auto error = [&](const std::string& text) { return error_of([&] { history_from_json_lines(text); }); };
  EXPECT_EQ(error(""), "the text is empty; a study begins with a line 'created'");
  EXPECT_EQ(error("{}"), "line 1: schema: missing");
  EXPECT_EQ(error("[1]"), "line 1: the line is not a JSON object");
  EXPECT_EQ(error("[1\n"), "line 1: the line is not a JSON object");
  EXPECT_EQ(error(created + "\n" + created), "line 2: the line is not a JSON object");
  EXPECT_EQ(error(created + "{\"seq\":1}"), "line 2: event: missing");
  EXPECT_EQ(error(created + "{\"seq\":2,\"event\":\"settled\",\"decision\":1,\"outcome\":\"lost\"}"),
            "line 2: seq: 2; the next event is number 1");
  EXPECT_EQ(error(created + "{\"seq\":1,\"event\":\"settled\",\"decision\":1.5,\"outcome\":\"lost\"}"),
            "line 2: decision: 1.5 is not a whole number");
  EXPECT_EQ(error(created + "{\"seq\":1,\"event\":\"settled\",\"decision\":1,\"outcome\":\"lots\"}"),
            "line 2: outcome 'lots' is unknown; allowed: observed, lost, void");
  EXPECT_EQ(error(created + "{\"seq\":1,\"event\":\"observed\",\"arm\":\"d\",\"reward\":1}"),
            "line 2: arm: 'd' is not an arm of the study");
  const auto changed = [&](const std::string& from, const std::string& to) {
    std::string text = created;
    return error(text.replace(text.find(from), from.size(), to));
  };
  EXPECT_EQ(changed("\"created\"", "\"settled\""), "line 1: event: 'settled'; a study begins with 'created'");
  EXPECT_EQ(changed("\"a\"", "7"), "line 1: arms: 7 is not a text");
  const std::string scale = created.substr(created.find("\"scale\":"));
  EXPECT_EQ(changed(scale.substr(0, scale.find(']') + 1), "\"scale\":[0]"),
            "line 1: scale: [0] is not a list of two numbers");
}

TEST(StudyJson, SaysWhatToDoIfTheLastLineIsIncomplete) {
  const std::string created = to_json(three_arms(10)) + "\n";
  const std::string event = to_json(Observed{1, 0.5}, 1, {"a", "b"});
  for (std::size_t size = 1; size < event.size(); ++size) {
    const std::string text = created + event.substr(0, size);
    EXPECT_EQ(error_of([&] { history_from_json_lines(text); }),
              "line 2: the last line is incomplete; cut the text after its last line break");
    EXPECT_TRUE(history_from_json_lines(text.substr(0, text.rfind('\n') + 1)).events.empty());
  }
  for (const std::string& end : std::vector<std::string>{"", "\n", "\r\n", "\n\n \n", "\n  "}) {
    EXPECT_EQ(history_from_json_lines(created + event + end).events, (std::vector<Event>{Observed{1, 0.5}}));
  }
}

TEST(StudyJson, ReadsEventsFromAnyNumberOn) {
  const std::vector<Event> events{ArmAdded{"d"}, Observed{3, 0.5}};
  std::string lines = to_json(events[0], 8, {"a"}) + "\n" + to_json(events[1], 9, {"a", "b", "c", "d"});
  EXPECT_EQ(events_from_json_lines(lines, {"a", "b", "c"}, 8), events);
  EXPECT_EQ(error_of([&] {
              events_from_json_lines(lines, {"a", "b", "c"}, 9);
            }),
            "line 1: seq: 8; the next event is number 9");
  EXPECT_TRUE(events_from_json_lines("", {"a"}, 8).empty());
}

TEST(StudyJson, EscapesEveryLineBreakOfUnicode) {
  const std::string name =
      "a\xc2\x85 b\xe2\x80\xa8 c\xe2\x80\xa9\xe2\x80\xa9 d\n\v\f\x1c\x1d\x1e\r \xc3\xa9 \xe2\x80\xa6";
  const StudySpec spec{.arms = {name}, .budget = 9};
  const StudyHistory history{spec, {Observed{0, 0.5}}};
  const std::string lines = to_json_lines(history);
  EXPECT_NE(lines.find("a\\u0085 b\\u2028 c\\u2029\\u2029 d\\n"), std::string::npos);
  EXPECT_EQ(lines.find("\xe2\x80\xa8"), std::string::npos);
  EXPECT_NE(lines.find("\xc3\xa9 \xe2\x80\xa6"), std::string::npos) << "other characters are not escaped";
  EXPECT_EQ(history_from_json_lines(lines).spec, spec);
  EXPECT_EQ(history_from_json_lines(lines).events, history.events);
}

TEST(StudySnapshot, RefusesBytesThatAreDamagedOrForeign) {
  const StudyLog log = played("foresight", 30, 0.5);
  const std::string bytes = snapshot(log.study());
  EXPECT_EQ(snapshot(restored(bytes)), bytes);
  EXPECT_EQ(error_of([] { restored("PK"); }), "the bytes are not a snapshot of a study");
  for (std::size_t size = 14; size < bytes.size(); size += 7) {
    EXPECT_EQ(error_of([&] { restored(bytes.substr(0, size)); }), "the snapshot is damaged or incomplete");
  }
  EXPECT_EQ(error_of([&] { restored(bytes + "x"); }), "the snapshot is damaged or incomplete");
  std::mt19937 random(1);
  for (int i = 0; i < 500; ++i) {
    std::string damaged = bytes;
    char& byte = damaged[14 + random() % (bytes.size() - 14)];
    byte = static_cast<char>(byte ^ static_cast<char>(1 + random() % 255));
    EXPECT_EQ(error_of([&] { restored(damaged); }), "the snapshot is damaged or incomplete");
  }
}

}  // namespace
}  // namespace longrun
