// No policy breaks a constraint, and the optimum is the best of all schedules that the constraints allow.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "longrun/base/input_error.h"
#include "longrun/base/random.h"
#include "longrun/data/named_bandits.h"
#include "longrun/decide/constrained_policy.h"
#include "longrun/decide/feasible_constraints.h"
#include "longrun/decide/live_policy.h"
#include "longrun/simulate/optimum.h"
#include "longrun/simulate/play.h"
#include "longrun/simulate/play_constrained.h"
#include "tests/long_tests.h"

namespace longrun {
namespace {

class Dice {
 public:
  explicit Dice(std::uint64_t seed) : bits_(seed) {}
  double unit() { return unit_interval(bits_()); }
  Pulls from(Pulls low, Pulls high) {
    return low + static_cast<Pulls>(bits_() % static_cast<std::uint64_t>(high - low + 1));
  }
  bool coin() { return bits_() % 2 == 0; }

 private:
  std::mt19937_64 bits_;
};

// ---- the definition, written out

/// A problem, with every rule computed directly from its definition.
struct Problem {
  Arm arms = 1;
  Pulls horizon = 1;
  Constraints constraints;

  Pulls cost(Arm arm) const { return constraints.costs.at(arm); }
  Pulls largest_cost() const {
    Pulls largest = 0;
    for (Arm arm = 0; arm < arms; ++arm) largest = std::max(largest, cost(arm));
    return largest;
  }
  Pulls smallest_cost() const {
    Pulls smallest = cost(0);
    for (Arm arm = 1; arm < arms; ++arm) smallest = std::min(smallest, cost(arm));
    return smallest;
  }
  Pulls rounds() const {
    Pulls round = 1;
    while (round * constraints.units_per_round < horizon) ++round;
    return round;
  }
  Pulls granted(Pulls round) const { return std::min(horizon, round * constraints.units_per_round); }
  bool available(Arm arm, Pulls round) const {
    const auto unavailable = constraints.unavailable.find(arm);
    if (unavailable == constraints.unavailable.end()) return true;
    return std::none_of(unavailable->second.begin(), unavailable->second.end(),
                        [&](const RoundRange& range) { return range.from <= round && round <= range.to; });
  }
  /// Returns the pulls that an arm's share guarantees when `units` units have been spent.
  Pulls share_of(Arm arm, Pulls units) const {
    const double in_pulls = constraints.minimum_share.at(arm) * static_cast<double>(units - largest_cost() + 1) /
                            static_cast<double>(cost(arm));
    return std::max<Pulls>(0, static_cast<Pulls>(std::floor(in_pulls + 1e-9)));
  }
  Pulls least(Arm arm) const {
    Pulls units = 0;
    for (Pulls round = 1; round <= rounds(); ++round) {
      if (available(arm, round)) units += granted(round) - granted(round - 1);
    }
    return std::max(constraints.minimum_pulls.at(arm), share_of(arm, units));
  }
  /// Returns the units left in the round after `pulls`, where `before` are the pulls of the rounds before it.
  Pulls left(Pulls round, const std::vector<Pulls>& before, const std::vector<Pulls>& pulls) const {
    const Pulls gone = constraints.units_lapse ? granted(round - 1) + spent(pulls) - spent(before) : spent(pulls);
    return granted(round) - gone;
  }
  bool everything_available() const { return constraints.unavailable.empty(); }
  Pulls spent(const std::vector<Pulls>& pulls) const {
    Pulls units = 0;
    for (Arm arm = 0; arm < arms; ++arm) units += cost(arm) * pulls[static_cast<std::size_t>(arm)];
    return units;
  }
  bool shares_hold(const std::vector<Pulls>& pulls) const {
    for (Arm arm = 0; arm < arms; ++arm) {
      if (pulls[static_cast<std::size_t>(arm)] < share_of(arm, spent(pulls))) return false;
    }
    return true;
  }
  bool minima_hold(const std::vector<Pulls>& pulls) const {
    for (Arm arm = 0; arm < arms; ++arm) {
      if (pulls[static_cast<std::size_t>(arm)] < least(arm)) return false;
    }
    return true;
  }
  std::string text() const {
    std::string text = "arms " + std::to_string(arms) + " horizon " + std::to_string(horizon);
    for (const ConstraintField& field : kConstraintFields) {
      text += " " + std::string(field.name) + " '" + constraint_text(constraints, field.name) + "'";
    }
    return text;
  }
};

/// Returns a problem with any combination of constraints; some of them are infeasible.
Problem random_problem(Dice& dice, Pulls longest) {
  Problem problem{.arms = static_cast<Arm>(dice.from(1, 4)), .horizon = dice.from(1, longest), .constraints = {}};
  Constraints& constraints = problem.constraints;
  if (dice.coin()) constraints.units_per_round = dice.from(1, 5);
  const bool costs = dice.coin();
  const bool minima = dice.coin();
  const bool shares = dice.coin();
  const bool absences = dice.coin();
  if (!costs) constraints.units_lapse = dice.coin();
  double share_left = 1;
  for (Arm arm = 0; arm < problem.arms; ++arm) {
    if (costs) constraints.costs.named[arm] = dice.from(1, 3);
    if (minima && dice.coin()) constraints.minimum_pulls.named[arm] = dice.from(0, 1 + longest / 6);
    if (shares && dice.coin()) {
      const double share = dice.coin() ? share_left * dice.unit() : share_left;
      constraints.minimum_share.named[arm] = share;
      share_left -= share;
    }
    for (int absence = 0; absences && absence < 2; ++absence) {
      if (dice.coin()) continue;
      const Pulls from = dice.from(1, problem.rounds() + 1);
      constraints.unavailable[arm].push_back({from, dice.from(from, problem.rounds() + 2)});
    }
  }
  return problem;
}

bool feasible(const Problem& problem) {
  try {
    resolve_feasible(problem.constraints, problem.arms, problem.horizon);
    return true;
  } catch (const InputError&) {
    return false;
  }
}

/// Returns arms whose curves are single-peaked, rising, falling or none of these.
Bandit random_bandit(Dice& dice, Arm arms, Pulls horizon) {
  Bandit bandit{.name = "random", .arm_names = {}, .arms = {}, .recorded_noise = nullptr};
  const Pulls kind = dice.from(0, 3);
  for (Arm arm = 0; arm < arms; ++arm) {
    std::vector<double> rewards(static_cast<std::size_t>(horizon));
    for (double& reward : rewards) reward = dice.unit();
    const auto peak = rewards.begin() + (kind == 1 ? horizon : kind == 2 ? 0 : dice.from(0, horizon));
    if (kind > 0) std::sort(rewards.begin(), peak);
    if (kind > 0) std::sort(peak, rewards.end(), std::greater<>());
    bandit.arms.push_back(Curve::from_rewards(std::move(rewards)));
    bandit.arm_names.push_back(std::to_string(arm));
  }
  return bandit;
}

// ---- the optimum

/// Tries every schedule, round by round; best() is the largest value of those that meet all constraints.
class EverySchedule {
 public:
  EverySchedule(const Problem& problem, const Bandit& bandit) : problem_(problem), bandit_(bandit) {
    const std::vector<Pulls> none(bandit.arms.size(), 0);
    visit(1, none, none);
  }
  std::optional<double> best() const { return best_; }
  /// Returns whether any pull can be made, in any round.
  bool can_pull() const { return can_pull_; }

 private:
  void visit(Pulls round, const std::vector<Pulls>& before, const std::vector<Pulls>& pulls) {
    if (problem_.spent(pulls) > 0) can_pull_ = true;
    if (!seen_.insert({round, problem_.left(round, before, pulls), pulls}).second) return;
    if (problem_.everything_available() && !problem_.shares_hold(pulls)) return;
    if (round == problem_.rounds()) end(pulls);
    if (round < problem_.rounds()) visit(round + 1, pulls, pulls);
    for (Arm arm = 0; arm < problem_.arms; ++arm) {
      std::vector<Pulls> more = pulls;
      ++more[static_cast<std::size_t>(arm)];
      if (problem_.available(arm, round) && problem_.left(round, before, more) >= 0) visit(round, before, more);
    }
  }
  void end(const std::vector<Pulls>& pulls) {
    if (!problem_.minima_hold(pulls)) return;
    double value = 0;
    for (std::size_t arm = 0; arm < pulls.size(); ++arm) value += bandit_.arms[arm].cumulative(pulls[arm]);
    best_ = std::max(best_.value_or(0), value);
  }

  const Problem& problem_;
  const Bandit& bandit_;
  std::set<std::tuple<Pulls, Pulls, std::vector<Pulls>>> seen_;
  std::optional<double> best_;
  bool can_pull_ = false;
};

TEST(ConstrainedOptimum, IsTheBestOfAllSchedules) {
  Dice dice(1);
  int solved = 0;
  int refused = 0;
  for (int instance = 0; instance < 4000 / sanitizer_slowdown(); ++instance) {
    const Problem problem = random_problem(dice, 10);
    const Bandit bandit = random_bandit(dice, problem.arms, problem.horizon);
    const EverySchedule schedules(problem, bandit);
    const std::optional<double> best = schedules.best();
    if (!schedules.can_pull()) {
      EXPECT_FALSE(feasible(problem)) << "no pull can be made: " << problem.text();
      continue;
    }
    ASSERT_EQ(feasible(problem), best.has_value()) << problem.text();
    if (!best) {
      EXPECT_THROW(optimal_allocation(bandit, problem.horizon, problem.constraints), InputError);
      ++refused;
      continue;
    }
    const Allocation found = optimal_allocation(bandit, problem.horizon, problem.constraints);
    ASSERT_NEAR(found.value, *best, 1e-12) << problem.text();
    ASSERT_TRUE(problem.minima_hold(found.pulls)) << problem.text();
    ASSERT_LE(problem.spent(found.pulls), problem.horizon) << problem.text();
    ++solved;
  }
  EXPECT_GT(solved, 1000 / sanitizer_slowdown());
  EXPECT_GT(refused, 100 / sanitizer_slowdown());
}

// ---- runs

struct Played {
  RunResult outcome;
  std::vector<RoundPull> trace;
};

Played play(const PolicyEntry& entry, const Problem& problem, const Bandit& bandit, const Allocation& best,
            std::uint64_t seed = 5) {
  Setting setting{.arms = problem.arms, .horizon = problem.horizon, .noise = bandit.noise, .seed = seed};
  if (entry.traits.needs_plan) setting.plan = best.pulls;
  Played played;
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
      const Played played = play(entry, problem, bandit, best);
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
          const Played played = play(entry, problem, bandit, best, 3);
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
    const Played played = play(entry, problem, bandit, best);
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
  const Played played = play(policy("greedy"), problem, bandit, {});
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
