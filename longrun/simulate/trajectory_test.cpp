#include "longrun/simulate/trajectory.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "longrun/data/named_bandits.h"
#include "longrun/simulate/compared_run.h"
#include "longrun/simulate/optimum.h"

namespace longrun {
namespace {

std::vector<TrajectoryStep> steps_of(const RunSpec& spec, const std::vector<Arm>& trace, const OptimumAfter& optimum) {
  std::vector<TrajectoryStep> steps;
  follow(World(spec.bandit, spec.setting.seed, spec.setting.replicate), spec.bandit, trace, optimum,
         [&](const TrajectoryStep& step) { steps.push_back(step); });
  return steps;
}

RunSpec noisy_run() {
  Bandit bandit = named_bandit("recommender_B");
  bandit.noise = Gaussian{0.05};
  return {.policy = PolicyChoice("foresight"),
          .bandit = bandit,
          .setting = {.arms = bandit.arm_count(), .horizon = 200, .noise = bandit.noise, .seed = 3, .replicate = 2}};
}

TEST(Trajectory, RegretOfAStepIsThatOfTheSamePullsAgainstTheOptimumOfAsManyPulls) {
  const RunSpec spec = noisy_run();
  const ComparedRun run = play_and_compare(spec, true);
  const BestAllocations best(known_arms(spec.bandit, 200));
  const auto steps = steps_of(spec, run.trace, [&](Pulls pulls) { return best.value(pulls); });
  ASSERT_EQ(steps.size(), 200U);
  World world(spec.bandit, 3, 2);
  for (const TrajectoryStep& step : steps) {
    EXPECT_EQ(step.arm, run.trace[static_cast<std::size_t>(step.step - 1)]);
    EXPECT_EQ(step.reward, world.pull(step.arm));
    EXPECT_EQ(step.pull, world.pulls()[static_cast<std::size_t>(step.arm)]);
    EXPECT_NEAR(step.regret, optimal_allocation(spec.bandit, step.step).value - world.earned(), 1e-12) << step.step;
  }
  EXPECT_NEAR(steps.back().regret, run.regret, 1e-14);
}

TEST(Trajectory, HasNoRegretWhereTheOptimumIsNotKnown) {
  const RunSpec spec = noisy_run();
  const auto unknown = [](Pulls) { return std::numeric_limits<double>::quiet_NaN(); };
  for (const TrajectoryStep& step : steps_of(spec, {1, 1, 0}, unknown)) EXPECT_TRUE(std::isnan(step.regret));
}

}  // namespace
}  // namespace longrun
