// Studies under constraints: rounds, shares, arms that are added or unavailable.
#include <gtest/gtest.h>

#include "longrun/decide/study/study.h"
#include "longrun/decide/study/study_log.h"
#include "longrun/decide/study/study_snapshot.h"
#include "tests/error_of.h"
#include "tests/made_study.h"

namespace longrun {
namespace {

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

  StudySpec tenths{.arms = {"a", "b"}, .budget = 15, .noise = Gaussian{0.1}, .policy = "ucb"};
  tenths.constraints = Constraints::with_decimals(1);
  tenths.constraints.costs.every = 5;
  Study parts(tenths);
  while (!parts.done()) parts.decide();
  EXPECT_EQ(error_of([&] { parts.decide(); }), "the budget of 1.5 units is spent; extend it to go on");

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

}  // namespace
}  // namespace longrun
