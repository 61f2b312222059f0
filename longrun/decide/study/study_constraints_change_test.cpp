// The constraints of a study that is under way change.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "longrun/decide/advice/recommendation.h"
#include "longrun/decide/study/study_json.h"
#include "longrun/decide/study/study_log.h"
#include "longrun/decide/study/study_snapshot.h"
#include "tests/error_of.h"
#include "tests/long_tests.h"
#include "tests/made_study.h"

namespace longrun {
namespace {

std::string saved_state(const Study& study) {
  Writer writer;
  study.save(writer);
  return writer.bytes();
}

/// Decides and reports up to `rounds` rounds; arm k pays 0.5 - k/10.
void play_on(Study& study, int rounds) {
  for (int round = 0; round < rounds && !study.done(); ++round) {
    for (const Decision& decision : study.decide().decisions) {
      study.settle(decision.id, Outcome::observed(0.5 - 0.1 * decision.arm));
    }
  }
}

Constraints with_share(Arm arm, double share, Constraints constraints = {}) {
  constraints.minimum_share.named[arm] = share;
  return constraints;
}

Constraints with_minimum(Arm arm, Pulls pulls, Constraints constraints = {}) {
  constraints.minimum_pulls.named[arm] = pulls;
  return constraints;
}

/// Constraints and the units of each arm's share, counted round by round as their definition says.
class CountedConstraints {
 public:
  explicit CountedConstraints(const StudySpec& spec)
      : budget_{.units = spec.budget, .units_per_round = spec.constraints.units_per_round},
        constraints_(spec.constraints),
        arms_(spec.arms.size()) {
    for (std::size_t arm = 0; arm < arms_.size(); ++arm) {
      largest_cost_ = std::max(largest_cost_, constraints_.costs.at(static_cast<Arm>(arm)));
    }
  }

  /// Notes that rounds up to this one are over.
  void end_rounds(Pulls round) {
    for (; over_ < std::min(round, budget_.rounds()); ++over_) {
      for (std::size_t arm = 0; arm < arms_.size(); ++arm) {
        if (available(static_cast<Arm>(arm), over_ + 1)) arms_[arm].units += granted(over_ + 1);
      }
    }
  }

  void change(const Constraints& constraints, const Study& study) {
    const Constraints old = std::exchange(constraints_, constraints);
    for (std::size_t i = 0; i < arms_.size(); ++i) {
      const auto arm = static_cast<Arm>(i);
      if (old.minimum_share.at(arm) == constraints.minimum_share.at(arm)) continue;
      const Pulls kept = constraints.units_lapse ? 0 : budget_.granted(over_) - study.spent();
      bool comes_again = false;
      for (Pulls round = over_ + 1; round <= budget_.rounds(); ++round) {
        comes_again = comes_again || available(arm, round);
      }
      arms_[i] = {.units = comes_again ? kept : 0, .pulls_before = study.pulls(arm)};
    }
  }

  /// Returns the pulls of the arm by the end that its minimum and share guarantee.
  Pulls least(Arm arm) const {
    const Claim& claim = arms_[static_cast<std::size_t>(arm)];
    const double units = std::max(0.0, static_cast<double>(claim.units - largest_cost_ + 1));
    const auto of_share = static_cast<Pulls>(std::floor(
        constraints_.minimum_share.at(arm) * units / static_cast<double>(constraints_.costs.at(arm)) + 1e-9));
    return std::max(constraints_.minimum_pulls.at(arm), of_share > 0 ? claim.pulls_before + of_share : 0);
  }

 private:
  struct Claim {
    Pulls units = 0;         // of the rounds that are over, and kept ones
    Pulls pulls_before = 0;  // pulls before the share began
  };
  Pulls granted(Pulls round) const { return budget_.granted(round) - budget_.granted(round - 1); }
  bool available(Arm arm, Pulls round) const {
    const auto found = constraints_.unavailable.find(arm);
    return found == constraints_.unavailable.end() || longrun::available(found->second, round);
  }

  RoundBudget budget_;
  Constraints constraints_;
  std::vector<Claim> arms_;
  Pulls largest_cost_ = 1;
  Pulls over_ = 0;  // rounds that are over
};

/// Returns other minima, shares and, if `schedules`, rounds without an arm.
Constraints random_constraints(std::mt19937_64& random, Constraints constraints, Pulls rounds, bool schedules) {
  constraints.minimum_pulls = {};
  if (random() % 2 == 0) constraints.minimum_share = {};
  constraints.unavailable = {};
  for (Arm arm = 0; arm < 3; ++arm) {
    if (random() % 3 == 0) constraints.minimum_pulls.named[arm] = static_cast<Pulls>(random() % 16);
    if (random() % 3 == 0) constraints.minimum_share.named[arm] = static_cast<double>(random() % 5) / 10;
    if (!schedules || random() % 3 > 0) continue;
    const auto from = 1 + static_cast<Pulls>(random() % static_cast<std::uint64_t>(rounds));
    constraints.unavailable[arm] = {{from, from + static_cast<Pulls>(random() % 4)}};
  }
  return constraints;
}

TEST(ConstraintsChange, EveryMinimumAndShareThatWasAcceptedHoldsAtTheEnd) {
  int accepted = 0;
  int refused = 0;
  int owing = 0;  // arms with something to meet
  const int studies = (long_tests() ? 50'000 : 2'000) / sanitizer_slowdown();
  for (int seed = 0; seed < studies; ++seed) {
    std::mt19937_64 random(static_cast<std::uint64_t>(seed));
    StudySpec spec = three_arms(20 + static_cast<Pulls>(random() % 30));
    spec.policy = random() % 2 == 0 ? "greedy" : "exp3";
    // Pulls that are void can make a minimum impossible if units lapse or arms are unavailable in some rounds.
    const bool voids = seed % 2 == 0;
    spec.constraints.units_per_round = 2 + static_cast<Pulls>(random() % 3);
    spec.constraints.units_lapse = !voids && random() % 3 == 0;
    if (!spec.constraints.units_lapse && random() % 2 == 0) {
      spec.constraints.costs.named[1] = 2 + static_cast<Pulls>(random() % 4);
    }
    const Pulls rounds = (spec.budget - 1) / spec.constraints.units_per_round + 1;
    StudyLog log(spec);
    CountedConstraints counted(spec);
    while (!log.study().done()) {
      if (random() % 4 == 0) {
        const Constraints other = random_constraints(random, log.study().spec().constraints, rounds, !voids);
        const std::string before = snapshot(log);
        try {
          if (log.handle(ChangeConstraints{other}) != nullptr) counted.change(other, log.study());
          ++accepted;
        } catch (const InputError&) {
          ASSERT_EQ(snapshot(log), before);
          ++refused;
        }
      }
      const Decided round = decided(log.handle(Decide{}));
      counted.end_rounds(round.round);
      for (const Decision& decision : round.decisions) {
        const bool is_void = voids && random() % 6 == 0;
        const double reward = 0.6 - 0.2 * decision.arm;
        log.handle(Report{decision.id, is_void ? Outcome::voided() : Outcome::observed(reward)});
      }
    }
    for (Arm arm = 0; arm < 3; ++arm) {
      owing += counted.least(arm) > 0 ? 1 : 0;
      ASSERT_GE(log.study().pulls(arm), counted.least(arm))
          << "study " << seed << ", arm " << arm << "\n"
          << to_json_lines({spec, {log.events().begin(), log.events().end()}});
    }
    StudyLog again(spec);
    ASSERT_TRUE(again.replay(std::vector<Event>(log.events().begin(), log.events().end())).empty());
    ASSERT_EQ(snapshot(again), snapshot(log));
    ASSERT_EQ(snapshot(restored(snapshot(log))), snapshot(log.study()));
  }
  EXPECT_GT(accepted, studies / 2);
  EXPECT_GT(refused, studies / 4);
  EXPECT_GT(owing, studies / 2);
}

TEST(ConstraintsChange, BeforeTheFirstDecisionIsTheSameAsAtCreation) {
  for (const bool in_rounds : {false, true}) {
    StudySpec spec = three_arms(200);
    if (in_rounds) spec.constraints = {.units_per_round = 5, .costs = {.every = 1, .named = {{1, 3}}}};
    Constraints other = with_minimum(0, 30, with_share(2, 0.3, spec.constraints));
    other.unavailable[1] = {{3, 9}};
    Study changed(spec);
    changed.change_constraints(other);
    spec.constraints = other;
    Study created(spec);
    EXPECT_EQ(saved_state(changed), saved_state(created));
    for (int round = 0; round < 200 && !created.done(); ++round) {
      const Decided decided = created.decide();
      ASSERT_EQ(changed.decide(), decided);
      for (const Decision& decision : decided.decisions) {
        for (Study* study : {&changed, &created}) study->settle(decision.id, Outcome::observed(0.2 * decision.arm));
      }
    }
    EXPECT_EQ(saved_state(changed), saved_state(created));
  }
}

TEST(ConstraintsChange, AShareBeginsAtTheChangeAndAnUnchangedOneKeepsItsClaim) {
  StudySpec spec = three_arms(1'000);
  spec.policy = "greedy";
  spec.constraints = with_share(1, 0.2);
  Study study(spec);
  play_on(study, 500);
  const Pulls before = study.pulls(2);
  study.change_constraints(with_share(2, 0.3, spec.constraints));
  EXPECT_EQ(study.policy().least(1), 200);
  EXPECT_EQ(study.policy().least(2), before + 150) << "three tenths of the 500 units that are left";
  play_on(study, 500);
  EXPECT_NEAR(static_cast<double>(study.pulls(1)), 200, 1);
  EXPECT_NEAR(static_cast<double>(study.pulls(2)), static_cast<double>(before) + 150, 1);

  Study lowered(spec);
  play_on(lowered, 500);
  EXPECT_GE(lowered.pulls(1), 100);
  lowered.change_constraints(with_share(1, 0.1));
  EXPECT_EQ(lowered.policy().least(1), lowered.pulls(1) + 50);
  lowered.change_constraints({});
  EXPECT_EQ(lowered.policy().least(1), 0);
  EXPECT_TRUE(lowered.spec().constraints.none());
}

TEST(ConstraintsChange, MinimumPullsCountThoseSoFar) {
  StudySpec spec = three_arms(100);
  spec.policy = "greedy";
  Study study(spec);
  for (int pull = 0; pull < 7; ++pull) study.observe(2, 0.1);
  play_on(study, 73);
  const Pulls had = study.pulls(2);
  const std::string before = saved_state(study);
  study.change_constraints(with_minimum(2, had + 5));
  EXPECT_EQ(saved_state(study), before) << "nothing is reset";
  play_on(study, 20);
  EXPECT_EQ(study.pulls(2), had + 5);
}

TEST(ConstraintsChange, LeavesThePolicyAsItIs) {
  StudySpec spec = three_arms(1'000);
  spec.constraints.units_per_round = 3;
  Study study(spec);
  play_on(study, 50);
  const std::string before = saved_state(study);
  study.change_constraints(with_share(2, 0.25, with_minimum(0, 100, spec.constraints)));
  const std::string after = saved_state(study);
  ASSERT_EQ(after.size(), before.size());
  ASSERT_GT(before.size(), 2'000U);
  const auto last_difference =
      std::mismatch(before.rbegin(), before.rend(), after.rbegin(), after.rend()).first.base() - before.begin();
  EXPECT_LT(last_difference, 1'000) << "numbers of rounds and shares only; the policy is saved after them";
}

TEST(ConstraintsChange, ThatIsImpossibleFromNowOnIsRefused) {
  Study study(three_arms(100));
  play_on(study, 91);
  const auto refused = [&](const Constraints& constraints) {
    const std::string before = snapshot(study);
    std::string message = error_of([&] { study.change_constraints(constraints); });
    EXPECT_EQ(snapshot(study), before);
    EXPECT_TRUE(study.spec().constraints.none());
    return message;
  };
  EXPECT_EQ(refused(with_minimum(0, study.pulls(0) + 10)),
            "minimum_pulls: at least 10 units are needed, but only 9 are left");
  EXPECT_EQ(refused(with_share(0, 0.6, with_share(1, 0.6))),
            "minimum_share: the shares of all 3 arms add up to 1.2, more than 1");
  EXPECT_EQ(refused({.units_per_round = 2}),
            "units_per_round: cannot change while the study runs; minimum_pulls, minimum_share and unavailable can");
  EXPECT_TRUE(refused({.costs = {.every = 2}}).starts_with("costs: cannot change"));
  EXPECT_TRUE(refused({.units_lapse = true}).starts_with("unspent: cannot change"));
  EXPECT_TRUE(refused(Constraints::with_decimals(1)).starts_with("unit_decimals: cannot change"));
  EXPECT_EQ(refused(with_minimum(7, 1)), "minimum_pulls: arm 7 is not one of 0..2");
  Constraints gone = with_minimum(1, study.pulls(1) + 1);
  gone.unavailable[1] = {{50, 100}};
  EXPECT_EQ(refused(gone),
            "minimum_pulls: arm 'b' needs 1 more pull, but is available in none of the rounds that are left");
  study.close();
  EXPECT_EQ(error_of([&] { study.change_constraints(with_minimum(0, 1)); }),
            "the study is closed; only outcomes and corrections are accepted");
}

TEST(ConstraintsChange, MayBeOneThatWasImpossibleFromTheStart) {
  StudySpec spec = three_arms(100);
  Study study(spec);
  for (int pull = 0; pull < 50; ++pull) study.observe(0, 0.5);
  // 50 pulls and nine tenths of 100 units would be 140 units.
  study.change_constraints(with_minimum(0, 50, with_share(1, 0.9)));
  Study loaded = restored(snapshot(study));
  EXPECT_EQ(snapshot(loaded), snapshot(study));
  study.extend_budget(10);
  study.add_arm("d");
  EXPECT_EQ(snapshot(restored(snapshot(study))), snapshot(study));
  Question question{.history = {.arm_names = study.spec().arms, .pulls = {{0, 0.5}}},
                    .horizon = 110,
                    .constraints = study.spec().constraints};
  EXPECT_EQ(recommend(question, study).next.first, 1) << "a share is due";
  play_on(study, 60);
  EXPECT_TRUE(study.done());
  EXPECT_EQ(study.pulls(1), 54);
}

TEST(ConstraintsChange, RoundsOfOnePullStayRoundsOfOneUnit) {
  StudySpec spec = three_arms(20);
  spec.policy = "exp3";
  StudyLog log(spec);
  log.handle(Decide{.count = 10});
  Constraints none_at_first;
  for (const Arm arm : {0, 1, 2}) none_at_first.unavailable[arm] = {{11, 13}};
  log.handle(ChangeConstraints{none_at_first});
  EXPECT_NE(error_of([&] { log.handle(Decide{.count = 2}); }), "no error") << "rounds have a number now";
  for (int round = 0; round < 3; ++round) EXPECT_TRUE(decided(log.handle(Decide{})).decisions.empty());
  EXPECT_EQ(decided(log.handle(Decide{})).decisions.size(), 4U) << "units are kept";
  EXPECT_EQ(log.study().spent(), 14);
  log.handle(Report{14, Outcome::voided()});
  log.handle(ChangeConstraints{});
  EXPECT_EQ(decided(log.handle(Decide{.count = 20})).decisions.size(), 7U);
  EXPECT_EQ(log.study().spent(), 20);
  EXPECT_TRUE(log.study().done());

  spec.constraints.units_lapse = true;
  StudyLog lapsing(spec);
  Constraints gone = none_at_first;
  gone.units_lapse = true;
  lapsing.handle(Decide{.count = 10});
  lapsing.handle(ChangeConstraints{gone});
  for (int round = 0; round < 3; ++round) lapsing.handle(Decide{});
  lapsing.handle(ChangeConstraints{spec.constraints});
  EXPECT_EQ(decided(lapsing.handle(Decide{.count = 20})).decisions.size(), 7U) << "three units have lapsed";
}

TEST(ConstraintsChange, GivesUpAChoiceThatCannotBePaidForAnyMore) {
  StudySpec spec = three_arms(200);
  spec.policy = "greedy";
  spec.constraints.costs = {.every = 1, .named = {{2, 50}}};
  Study study(spec);
  study.observe(2, 1.0);
  for (int pull = 0; pull < 5; ++pull) study.observe(0, 0.0);
  for (int pull = 0; pull < 5; ++pull) study.observe(1, 0.0);
  ASSERT_TRUE(study.decide().decisions.empty());
  ASSERT_EQ(study.policy().committed(), 50);
  Study kept = study;
  kept.change_constraints(with_minimum(0, 10, spec.constraints));
  EXPECT_EQ(kept.policy().committed(), 50) << "there are enough units for both";
  Study given_up = study;
  given_up.change_constraints(with_minimum(0, 130, spec.constraints));
  EXPECT_EQ(given_up.policy().committed(), 0) << "125 of the 140 units are needed";
  play_on(given_up, 1'000);
  EXPECT_GE(given_up.pulls(0), 130);
  Constraints gone = spec.constraints;
  gone.unavailable[2] = {{62, 200}};
  study.change_constraints(gone);
  EXPECT_EQ(study.policy().committed(), 0) << "the others need not wait for it";
}

TEST(ConstraintsChange, ReadsBackFromJsonWithArmsByName) {
  Constraints constraints = with_minimum(1, 4, with_share(0, 0.25));
  constraints.unavailable[1] = {{3, 5}};
  const std::vector<std::string> arms{"a", "b, c", "7"};
  const std::string line = to_json(ConstraintsChanged{constraints}, 3, arms);
  EXPECT_EQ(line,
            "{\"seq\":3,\"event\":\"constraints_changed\",\"constraints\":{\"minimum_pulls\":\"\\\"b, c\\\":4\","
            "\"minimum_share\":\"a:0.25\",\"unavailable\":\"\\\"b, c\\\":3-5\"}}");
  EXPECT_EQ(event_from_json(line, ArmLabels(arms)).event, Event(ConstraintsChanged{constraints}));
  Constraints decimals = Constraints::with_decimals(2);
  decimals.minimum_share.every = 0.1;
  EXPECT_EQ(event_from_json(to_json(ConstraintsChanged{decimals}, 1, arms), ArmLabels(arms)).event,
            Event(ConstraintsChanged{decimals}));
}

TEST(ConstraintsChange, IsNoEventIfTheConstraintsAreTheSame) {
  StudySpec spec = three_arms(10);
  spec.constraints.minimum_pulls.every = 1;
  StudyLog log(spec);
  EXPECT_EQ(log.handle(ChangeConstraints{spec.constraints}), nullptr);
}

}  // namespace
}  // namespace longrun
