// Studies under constraints: rounds, shares, arms that are added or unavailable.
#include <gtest/gtest.h>

#include <optional>
#include <random>

#include "longrun/base/input_error.h"
#include "longrun/decide/next_round.h"
#include "longrun/decide/study/study.h"
#include "longrun/decide/study/study_log.h"
#include "longrun/decide/study/study_snapshot.h"
#include "longrun/decide/unmet_minima.h"
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
            "no arm can be pulled now: the 4 units left are reserved for minimum pulls and shares of other arms");
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
            "all rounds are over, and 10 of 10 units have lapsed; extend the budget to go on");
  EXPECT_EQ(lapsing.left(), 0);
}

TEST(Study, SaysTheReasonWhyNoArmCanBePulledThatARecommendationSays) {
  Constraints constraints{.unavailable = {{1, {{2, 9}}}}};
  constraints.costs.named = {{0, 1}, {1, 2}, {2, 2}};
  Study study({.arms = {"a", "b", "c"}, .budget = 6, .noise = Gaussian{0.1}, .constraints = constraints});
  study.set_unavailable({0, 2});
  EXPECT_EQ(next_round(study.policy()).obstacle, PullObstacle::rounds);
  for (int round = 0; round < 6; ++round) EXPECT_TRUE(study.decide().decisions.empty());
  EXPECT_EQ(error_of([&] { study.decide(); }),
            "no arm can be pulled now: no arm that is available now can be paid for in a remaining round in which it "
            "is available");
  study.set_unavailable({});
  const std::vector<Arm> last{2};
  EXPECT_EQ(study.decide(1, std::vector<Arm>{0}).decisions.size(), 6U);
  EXPECT_EQ(error_of([&] { study.decide(1, last); }), "the budget of 6 units is spent; extend it to go on");

  StudySpec spec = three_arms(5);
  spec.constraints.units_per_round = 5;
  spec.constraints.costs.named = {{0, 1}, {2, 2}};
  Study cheap(spec);
  cheap.set_unavailable({0, 1});
  EXPECT_EQ(cheap.decide().decisions.size(), 2U);
  EXPECT_EQ(error_of([&] { cheap.decide(); }),
            "no arm can be pulled now: no arm that is available now costs as little as the 1 unit left");
  EXPECT_EQ(next_round(cheap.policy()).obstacle, PullObstacle::costs);
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

TEST(Study, IsDoneOnceWhatIsLeftPaysForNoPullInAComingRound) {
  StudySpec spec{.arms = {"a", "b"}, .budget = 5, .noise = Gaussian{0.1}};
  spec.constraints.costs.every = 2;
  Study kept(spec);
  while (!kept.done()) kept.decide();
  EXPECT_EQ(kept.left(), 1);
  EXPECT_EQ(kept.policy().round(), 4) << "the fifth round would have no pulls";
  EXPECT_EQ(error_of([&] { kept.decide(); }),
            "the budget of 5 units has 1 left, too few for a pull of any arm; extend it to go on");
  kept.settle(1, Outcome::voided());
  EXPECT_FALSE(kept.done());
  EXPECT_EQ(kept.decide().decisions.size(), 1U);
  kept.extend_budget(1);
  EXPECT_FALSE(kept.done());

  spec.constraints.costs.every = 1;
  spec.constraints.unavailable = {{0, {{3, 5}}}, {1, {{4, 5}}}};
  Study gone(spec);
  gone.set_unavailable({1});
  for (int round = 0; round < 3; ++round) gone.decide();
  gone.settle(1, Outcome::voided());
  EXPECT_TRUE(gone.done());
  EXPECT_EQ(error_of([&] { gone.decide(); }),
            "the budget of 5 units has 4 left, but no coming round pays for an arm that is available in it; extend it "
            "to go on");
}

TEST(Study, UnitsThatARoundHasLeftUnspentLapseWithTheRound) {
  Study study({.arms = {"a", "b"},
               .budget = 9,
               .noise = Gaussian{0.1},
               .constraints = {.units_per_round = 3, .units_lapse = true}});
  study.decide();
  study.settle(1, Outcome::voided());
  EXPECT_EQ(study.left(), 6) << "those of two rounds";
  study.set_unavailable({0, 1});
  study.decide();
  EXPECT_EQ(study.left(), 3);
  study.set_unavailable({});
  const Pulls left = study.left();
  EXPECT_EQ(std::ssize(study.decide().decisions), left);
  study.settle(3, Outcome::voided());
  EXPECT_EQ(study.left(), 0);
  EXPECT_TRUE(study.done());
  study.extend_budget(2);
  EXPECT_EQ(study.left(), 2);
  EXPECT_EQ(study.decide().decisions.size(), 2U);
}

TEST(StudyLog, UnitsThatACorrectionFreesAfterTheLastRoundCanBeSpent) {
  StudySpec spec{.arms = {"a", "b"}, .budget = 3, .noise = Gaussian{0.1}};
  spec.constraints.costs.every = 2;
  StudyLog log(spec);
  log.handle(Decide{});
  log.handle(Decide{});
  log.handle(Report{1, Outcome::observed(0.4)});
  log.load(std::vector<Event>{Decided{.round = 3}});  // as earlier versions decided it
  EXPECT_TRUE(log.study().done());
  log.handle(Correct{1, Outcome::voided()});
  EXPECT_EQ(log.study().left(), 3);
  EXPECT_FALSE(log.study().done());
  EXPECT_EQ(decided(log.handle(Decide{})).decisions.size(), 1U);
  EXPECT_EQ(log.study().left(), 1);
  EXPECT_TRUE(log.study().done());
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

TEST(Study, KeepsNoUnitsForAMinimumThatTheyCannotPayFor) {
  for (const Pulls units_per_round : {1, 7}) {
    Constraints constraints{.units_per_round = units_per_round};
    constraints.costs.named = {{0, 1}, {1, 3}, {2, 3}};
    constraints.minimum_pulls.named[2] = 1;
    Study study({.arms = {"a", "b", "c"}, .budget = 3, .noise = Gaussian{0.1}, .constraints = constraints});
    study.observe(0, 0.5);
    while (!study.done()) {
      for (const Decision& decision : study.decide().decisions) EXPECT_EQ(decision.arm, 0);
    }
    EXPECT_EQ(study.spent(), 3) << units_per_round;
  }
}

TEST(Study, DecidesUntilItIsDoneUnlessAnArmIsUnavailable) {
  std::mt19937_64 random(5);
  int impossible = 0;
  for (int program = 0; program < 400; ++program) {
    const auto up_to = [&](Pulls most) { return 1 + static_cast<Pulls>(random() % static_cast<std::uint64_t>(most)); };
    Constraints constraints{.units_per_round = up_to(8)};
    for (Arm arm = 0; arm < 3; ++arm) constraints.costs.named[arm] = up_to(4);
    for (Arm arm = 0; arm < 3; ++arm) constraints.minimum_pulls.named[arm] = up_to(3) - 1;
    if (random() % 3 == 0) constraints.unavailable[static_cast<Arm>(random() % 3)] = {{2, 2 + up_to(3)}};
    std::optional<Study> made;
    try {
      made.emplace(StudySpec{
          .arms = {"a", "b", "c"}, .budget = 3 + up_to(20), .noise = Gaussian{0.1}, .constraints = constraints});
    } catch (const InputError&) {
      continue;  // no schedule has these minima
    }
    Study& study = *made;
    const auto most_steps = 10 * study.spec().budget;
    for (Pulls step = 0; step < most_steps && !study.done(); ++step) {
      const auto arm = static_cast<Arm>(random() % 3);
      if (random() % 3 == 0 && constraints.costs.named[arm] <= study.left()) {
        study.observe(arm, 0.5);
        continue;
      }
      EXPECT_NO_THROW(study.decide()) << program;
    }
    EXPECT_TRUE(study.done()) << program;
    if (!unmet_minima(study.policy()).arms.empty()) ++impossible;
    const ResolvedConstraints& resolved = study.policy().constraints();
    for (Arm arm = 0; arm < 3; ++arm) {
      if (resolved.last_available(arm) < resolved.budget().rounds()) continue;
      EXPECT_LT(study.spec().budget - study.spent(), resolved.cost(arm)) << "study " << program << ", arm " << arm;
    }
  }
  EXPECT_GT(impossible, 20);
}

}  // namespace
}  // namespace longrun
