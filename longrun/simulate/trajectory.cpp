#include "longrun/simulate/trajectory.h"

#include "longrun/base/cancellation.h"
#include "longrun/base/running_sum.h"
#include "longrun/simulate/regret.h"

namespace longrun {

void follow(World world, const Bandit& bandit, std::span<const Arm> arms, const OptimumAfter& optimum,
            const std::function<void(const TrajectoryStep&)>& visit) {
  RunningSum earned;
  TrajectoryStep step{.step = 0};
  for (const Arm arm : arms) {
    if (step.step % kStepsPerCancellationCheck == 0) throw_if_cancelled();
    ++step.step;
    step.arm = arm;
    step.reward = world.pull(arm);
    step.pull = world.pulls()[static_cast<std::size_t>(arm)];
    earned.add(bandit.arms[static_cast<std::size_t>(arm)].reward(step.pull));
    const bool is_last = step.step == static_cast<Pulls>(arms.size());
    step.regret = policy_regret(optimum(step.step), is_last ? world.earned() : earned.value());
    visit(step);
  }
}

}  // namespace longrun
