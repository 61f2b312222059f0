// The time of a plan, per pull that is played in a future, compared with the bare policy in the play loop.
#include <cmath>

#include "bench/report.h"
#include "longrun/data/named_bandits.h"
#include "longrun/simulate/plan/plan.h"
#include "longrun/simulate/world.h"

namespace longrun {
namespace {

constexpr Pulls kMade = 1000;
constexpr Pulls kRemaining = 1000;
constexpr Pulls kFutures = 1000;

Bandit four_arms() {
  Bandit bandit = named_bandit("recommender_B").tabulated(kMade + kRemaining);
  bandit.noise = Gaussian{0.1};
  return bandit;
}

/// Returns a question about four arms that were pulled in turn.
PlanQuestion four_arms_question() {
  World world(four_arms(), 1);
  PlanQuestion asked{.question = {.history = {.arm_names = std::vector<std::string>(4), .pulls = {}},
                                  .horizon = kMade + kRemaining,
                                  .noise = Gaussian{0.1}},
                     .futures = kFutures};
  for (Pulls pull = 0; pull < kMade; ++pull) {
    const auto arm = static_cast<Arm>(pull % 4);
    asked.question.history.pulls.push_back({arm, world.pull(arm)});
  }
  return asked;
}

void plan_of_four_arms(benchmark::State& state) {
  const PlanQuestion asked = four_arms_question();
  const Plan answer = plan(asked, {.threads = 1});
  double pulls = 0;
  for (const PlannedArm& arm : answer.arms) pulls += arm.rest.mean;
  const Plan two_threads = plan(asked, {.threads = 2});
  if (std::abs(pulls - static_cast<double>(kRemaining)) > 1e-6 ||
      two_threads.courses[0].total.low != answer.courses[0].total.low) {
    return state.SkipWithError("the pulls are not those of the budget, or the answer depends on the threads");
  }
  time_runs(state, kRemaining * kFutures, [&] { return plan(asked, {.threads = 1}); });
}

void play_four_arms(benchmark::State& state) {
  const Bandit bandit = four_arms();
  const Setting setting{.arms = 4, .horizon = kMade + kRemaining, .noise = bandit.noise};
  time_runs(state, setting.horizon, [&] { return play(PolicyChoice(kDefaultPolicy), bandit, setting); });
}

BENCHMARK(plan_of_four_arms)->Repetitions(3);
BENCHMARK(play_four_arms)->Repetitions(3);

const Claims kPlanClaims{
    {"plan of foresight and three other courses, 4 arms, 1,000 futures of 1,000 pulls, per pull "
     "/ pull of foresight in the play loop",
     "plan_of_four_arms", "play_four_arms", 5, false}};

}  // namespace
}  // namespace longrun
