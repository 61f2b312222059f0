// No policy breaks a constraint.
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "longrun/data/named_bandits.h"
#include "longrun/decide/constrained_policy.h"
#include "longrun/decide/live_policy.h"
#include "longrun/simulate/optimum.h"
#include "longrun/simulate/play.h"
#include "longrun/simulate/play_constrained.h"
#include "tests/constrained_problem.h"
#include "tests/long_tests.h"

namespace longrun {
namespace {

struct ConstrainedRun {
  RunResult outcome;
  std::vector<RoundPull> trace;
};

ConstrainedRun play(const PolicyEntry& entry, const Problem& problem, const Bandit& bandit, const Allocation& best,
                    std::uint64_t seed = 5) {
  Setting setting{.arms = problem.arms, .horizon = problem.horizon, .noise = bandit.noise, .seed = seed};
  if (entry.traits.needs_plan) setting.plan = best.pulls;
  ConstrainedRun played;
  played.outcome =
      play_constrained(World(bandit, seed), PolicyChoice(entry.name), setting, problem.constraints, &played.trace);
  return played;
}

const PolicyEntry& policy(std::string_view name) { return PolicyChoice(name).entry(); }

/// Returns whether all minima can still be met after `pulls`, in round `round`, where units are kept. Lacking pulls can
/// always wait for the last round in which their arm is available.
bool can_meet_minima_if_units_keep(const Problem& problem, Pulls round, const std::vector<Pulls>& pulls) {
  for (Pulls end = round; end <= problem.rounds(); ++end) {
    Pulls needed = problem.spent(pulls);
    for (Arm arm = 0; arm < problem.arms; ++arm) {
      Pulls last = problem.rounds();
      while (last >= round && !problem.available(arm, last)) --last;
      const Pulls lacking = problem.least(arm) - pulls[static_cast<std::size_t>(arm)];
      if (lacking > 0 && last < round) return false;
      if (lacking > 0 && last <= end) needed += lacking * problem.cost(arm);
    }
    if (needed > problem.granted(end)) return false;
  }
  return true;
}

/// Returns the same where units lapse: no set of arms may lack more pulls than units are granted in the rounds in which
/// any of them is available (Hall).
bool can_meet_minima_if_units_lapse(const Problem& problem, Pulls round, Pulls left, const std::vector<Pulls>& pulls) {
  for (unsigned arms = 1; arms < 1U << problem.arms; ++arms) {
    Pulls lacking = 0;
    for (Arm arm = 0; arm < problem.arms; ++arm) {
      const Pulls lacks = std::max<Pulls>(0, problem.least(arm) - pulls[static_cast<std::size_t>(arm)]);
      if ((arms >> arm & 1) != 0) lacking += lacks;
    }
    Pulls units = 0;
    for (Pulls later = round; later <= problem.rounds(); ++later) {
      bool any = false;
      for (Arm arm = 0; arm < problem.arms; ++arm) any |= (arms >> arm & 1) != 0 && problem.available(arm, later);
      if (any) units += later == round ? left : problem.granted(later) - problem.granted(later - 1);
    }
    if (lacking > units) return false;
  }
  return true;
}

/// Returns the smallest cost of an arm that could have been pulled once more in the round, if any.
std::optional<Pulls> smallest_possible_cost(const Problem& problem, Pulls round, const std::vector<Pulls>& before,
                                            const std::vector<Pulls>& pulls) {
  std::optional<Pulls> smallest;
  for (Arm arm = 0; arm < problem.arms; ++arm) {
    std::vector<Pulls> more = pulls;
    ++more[static_cast<std::size_t>(arm)];
    const Pulls left = problem.left(round, before, more);
    if (!problem.available(arm, round) || left < 0) continue;
    const bool meets_minima = problem.constraints.units_lapse
                                  ? can_meet_minima_if_units_lapse(problem, round, left, more)
                                  : can_meet_minima_if_units_keep(problem, round, more);
    if (meets_minima) smallest = std::min(smallest.value_or(problem.cost(arm)), problem.cost(arm));
  }
  return smallest;
}

/// Checks every pull and, unless the policy may hold units back, every end of a round.
void expect_no_violation(const Problem& problem, const std::vector<RoundPull>& trace, bool may_hold_back) {
  std::vector<Pulls> pulls(static_cast<std::size_t>(problem.arms), 0);
  std::size_t next = 0;
  for (Pulls round = 1; round <= problem.rounds(); ++round) {
    const std::vector<Pulls> before = pulls;
    for (; next < trace.size() && trace[next].round == round; ++next) {
      const Arm arm = trace[next].arm;
      ++pulls[static_cast<std::size_t>(arm)];
      ASSERT_TRUE(problem.available(arm, round)) << "arm " << arm << " in round " << round;
      ASSERT_GE(problem.left(round, before, pulls), 0) << "round " << round;
      if (problem.everything_available()) {
        ASSERT_TRUE(problem.shares_hold(pulls)) << "pull " << next;
      }
    }
    // Units are left only if no pull can be paid with them, or if they are saved for a more expensive one.
    const auto cost = smallest_possible_cost(problem, round, before, pulls);
    if (!cost || may_hold_back) continue;
    ASSERT_FALSE(problem.constraints.units_lapse) << "round " << round << " wastes units";
    ASSERT_LT(next, trace.size()) << "round " << round << ": no pull follows for which units could be saved";
    const Pulls saved_for = problem.cost(trace[next].arm);
    ASSERT_GT(saved_for, problem.granted(round) - problem.spent(pulls)) << "round " << round << " idles";
  }
  ASSERT_EQ(next, trace.size());
  ASSERT_TRUE(problem.minima_hold(pulls));
}

TEST(EveryPolicyUnderConstraints, BreaksNoneAndLeavesNoUnitsUnspentWithoutReason) {
  Dice dice(2);
  int runs = 0;
  for (int instance = 0; instance < 700 / sanitizer_slowdown(); ++instance) {
    const Problem problem = random_problem(dice, 60);
    if (!feasible(problem)) continue;
    Bandit bandit = random_bandit(dice, problem.arms, problem.horizon);
    if (dice.coin()) bandit.noise = Gaussian{0.1};
    const Allocation best = optimal_allocation(bandit, problem.horizon, problem.constraints);
    for (const PolicyEntry& entry : policy_catalog()) {
      SCOPED_TRACE(std::string(entry.name) + ": " + problem.text());
      const ConstrainedRun played = play(entry, problem, bandit, best);
      expect_no_violation(problem, played.trace,
                          entry.traits.needs_plan);  // a plan may wait until an arm is available again
      ASSERT_LE(played.outcome.earned, best.value + 1e-9);
      if (entry.name == "optimal") {
        ASSERT_NEAR(played.outcome.earned, best.value, 1e-9);
      }
      ASSERT_EQ(play(entry, problem, bandit, best).trace, played.trace);
      if (HasFatalFailure()) return;
      ++runs;
    }
  }
  EXPECT_GT(runs, 4000 / sanitizer_slowdown());
}

/// Returns constraints that restrict nothing within the horizons of the test.
Constraints constraints_that_never_bind() {
  Constraints constraints;
  constraints.costs.named[0] = 1;
  constraints.minimum_pulls.named[1] = 0;
  constraints.minimum_share.every = 1e-6;
  constraints.unavailable[0] = {{10'001, 20'000}};
  return constraints;
}

TEST(EveryPolicyUnderConstraints, DecidesAsWithoutConstraintsIfNoneBinds) {
  const Constraints constraints = constraints_that_never_bind();
  ASSERT_FALSE(constraints.none());
  for (const PolicyEntry& entry : policy_catalog()) {
    for (const char* name : {"inc_1_alpha_0.5", "inc_dec_3", "recommender_B", "const"}) {
      for (const Noise& noise : {Noise(NoNoise{}), Noise(Gaussian{0.05}), Noise(Bernoulli{})}) {
        Bandit bandit = named_bandit(name);
        bandit.noise = noise;
        for (const Pulls horizon : {1, 3, 20, 500}) {
          Setting setting{.arms = bandit.arm_count(), .horizon = horizon, .noise = noise, .seed = 3};
          const Allocation best = optimal_allocation(bandit, horizon);
          if (entry.traits.needs_plan) setting.plan = best.pulls;
          std::vector<Arm> free(static_cast<std::size_t>(horizon));
          const RunResult expected = play(PolicyChoice(entry.name), bandit, setting, free);
          const Problem problem{.arms = setting.arms, .horizon = horizon, .constraints = constraints};
          const ConstrainedRun played = play(entry, problem, bandit, best, 3);
          ASSERT_EQ(played.outcome.pulls, expected.pulls) << entry.name << " on " << name;
          ASSERT_EQ(played.outcome.earned, expected.earned);
          if (entry.traits.needs_plan) continue;  // its pulls are forced, in another order
          for (std::size_t step = 0; step < free.size(); ++step) {
            ASSERT_EQ(played.trace[step].arm, free[step]) << entry.name << " on " << name << ", step " << step;
            ASSERT_EQ(played.trace[step].round, static_cast<Pulls>(step) + 1);
          }
        }
      }
    }
  }
}

TEST(EveryPolicyUnderConstraints, SeesTheRewardsOfARoundOnlyAfterTheRound) {
  Bandit bandit = named_bandit("recommender_A");
  bandit.noise = Gaussian{0.05};
  const Problem problem{.arms = bandit.arm_count(), .horizon = 203, .constraints = {.units_per_round = 7}};
  for (const PolicyEntry& entry : policy_catalog()) {
    if (entry.traits.needs_plan) continue;
    const auto policy =
        make_policy(PolicyChoice(entry.name), {.arms = problem.arms, .horizon = 203, .noise = bandit.noise, .seed = 5});
    World world(bandit, 5);
    std::vector<RoundPull> expected;
    for (Pulls round = 1; round <= 29; ++round) {
      std::vector<Arm> pulls(7);
      for (Arm& arm : pulls) arm = policy->choose();
      for (const Arm arm : pulls) policy->observe(arm, world.pull(arm));
      for (const Arm arm : pulls) expected.push_back({round, arm});
    }
    EXPECT_EQ(play(entry, problem, bandit, {}).trace, expected) << entry.name;
  }
}

TEST(EveryPolicyUnderConstraints, LearnsFromPullsItDidNotChoose) {
  // Arm 2 is best by far; every policy sees its rewards because of its minimum.
  const Bandit bandit{.name = "three",
                      .arm_names = {"a", "b", "c"},
                      .arms = {Constant{0.2}, Constant{0.1}, Constant{0.9}},
                      .recorded_noise = nullptr};
  const Problem problem{.arms = 3, .horizon = 600, .constraints = {.minimum_pulls = {.every = 20}}};
  const Allocation best = optimal_allocation(bandit, 600, problem.constraints);
  EXPECT_EQ(best.pulls, (std::vector<Pulls>{20, 20, 560}));
  for (const PolicyEntry& entry : policy_catalog()) {
    if (entry.name == "exp3" || entry.name == "r-exp3") continue;  // too slow to settle in so short a run
    const ConstrainedRun played = play(entry, problem, bandit, best);
    EXPECT_GT(played.outcome.pulls[2], 400) << entry.name;
    for (std::size_t step = 0; step < 60; ++step) {
      EXPECT_EQ(played.trace[step].arm, static_cast<Arm>(step % 3)) << "minima come first, in turn";
    }
  }
}

TEST(ConstrainedPolicy, IndexPoliciesCompareRewardsPerUnitOfCost) {
  const Bandit bandit{.name = "two costs",
                      .arm_names = {"expensive", "cheap"},
                      .arms = {Constant{0.9}, Constant{0.5}},
                      .recorded_noise = nullptr};
  const Problem problem{.arms = 2, .horizon = 300, .constraints = {.costs = {.every = 1, .named = {{0, 3}}}}};
  const Allocation best = optimal_allocation(bandit, 300, problem.constraints);
  EXPECT_EQ(best.pulls, (std::vector<Pulls>{0, 300}));
  for (const char* name : {"spo", "greedy", "one-step-optimistic", "spo@released"}) {
    EXPECT_GT(play(policy(name), problem, bandit, best).outcome.pulls[1], 250) << name;
  }
}

TEST(ConstrainedPolicy, SavesForAnArmThatCostsMoreThanARound) {
  const Bandit bandit{
      .name = "expensive", .arm_names = {"expensive"}, .arms = {Constant{0.9}}, .recorded_noise = nullptr};
  const Problem problem{.arms = 1, .horizon = 11, .constraints = {.units_per_round = 2, .costs = {.every = 5}}};
  const ConstrainedRun played = play(policy("greedy"), problem, bandit, {});
  EXPECT_EQ(played.trace, (std::vector<RoundPull>{{3, 0}, {5, 0}}));
}

TEST(ConstrainedPolicy, UnitsThatLapseCannotBeSpentWhenAnArmIsAvailableAgain) {
  const Bandit bandit{
      .name = "two", .arm_names = {"good", "poor"}, .arms = {Constant{0.9}, Constant{0.1}}, .recorded_noise = nullptr};
  Problem problem{.arms = 2, .horizon = 10, .constraints = {.unavailable = {{0, {{4, 7}}}}}};
  const Allocation kept = optimal_allocation(bandit, 10, problem.constraints);
  EXPECT_EQ(kept.pulls, (std::vector<Pulls>{10, 0})) << "the units of rounds 4 to 7 are spent in round 8";
  EXPECT_EQ(play(policy("optimal"), problem, bandit, kept).trace[3], (RoundPull{8, 0}));
  problem.constraints.units_lapse = true;
  const Allocation lapsed = optimal_allocation(bandit, 10, problem.constraints);
  EXPECT_EQ(lapsed.pulls, (std::vector<Pulls>{6, 4}));
  EXPECT_EQ(play(policy("optimal"), problem, bandit, lapsed).trace[3], (RoundPull{4, 1}));
  problem.constraints.unavailable[1] = {{4, 5}};
  EXPECT_EQ(optimal_allocation(bandit, 10, problem.constraints).pulls, (std::vector<Pulls>{6, 2}));
  EXPECT_EQ(play(policy("spo"), problem, bandit, {}).trace.size(), 8U) << "no arm is available in rounds 4 and 5";
}

}  // namespace
}  // namespace longrun
