#include "longrun/simulate/trajectory.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

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

/// Returns a run of two arms that rise and fall, and of one that rises.
RunSpec noisy_run() {
  std::vector<std::vector<double>> rewards(3);
  for (int pull = 1; pull <= 200; ++pull) {
    rewards[0].push_back(0.9 - 0.003 * pull);
    rewards[1].push_back(pull < 60 ? 0.01 * pull : 1.2 - 0.01 * std::min(pull, 110));
    rewards[2].push_back(0.7 - 0.6 / pull);
  }
  Bandit bandit{.name = "three",
                .arm_names = {"a", "b", "c"},
                .arms = {},
                .noise = Gaussian{0.05},
                .recorded_noise = nullptr,
                .horizon = 200};
  for (auto& each : rewards) bandit.arms.push_back(Curve::from_rewards(std::move(each)));
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

TEST(Trajectory, AsCsvHasARowPerStepWithItsRegret) {
  const RunSpec spec = noisy_run();
  const ComparedRun run = play_and_compare(spec, true);
  const std::string csv = trajectory_csv(spec, run);
  std::string expected = "step,arm,pull,reward,regret\n";
  for (const TrajectoryStep& step : steps_of(spec, run.trace, optimum_after(spec, run))) {
    expected += fmt::format("{},{},{},{},{}\n", step.step, step.arm, step.pull, step.reward, step.regret);
  }
  EXPECT_EQ(csv, expected);
  EXPECT_TRUE(csv.ends_with(fmt::format(",{}\n", run.regret))) << "the last regret is that of the run";
}

TEST(Trajectory, UnderConstraintsCsvHasRoundsAndOnlyTheLastRegret) {
  RunSpec spec = noisy_run();
  set_constraint(spec.constraints, "units_per_round", "2");
  const ComparedRun run = play_and_compare(spec, true);
  std::istringstream lines(trajectory_csv(spec, run));
  std::string line;
  std::getline(lines, line);
  EXPECT_EQ(line, "step,round,arm,pull,reward,regret");
  for (std::size_t step = 1; step <= run.trace.size(); ++step) {
    std::getline(lines, line);
    EXPECT_TRUE(line.starts_with(fmt::format("{},{},{},", step, run.rounds[step - 1], run.trace[step - 1]))) << line;
    EXPECT_EQ(line.ends_with(','), step < run.trace.size()) << line;
  }
  EXPECT_TRUE(line.ends_with(fmt::format(",{}", run.regret))) << line;
}

}  // namespace
}  // namespace longrun
