#include "longrun/simulate/trajectory.h"

#include <fmt/format.h>

#include <cmath>
#include <cstddef>
#include <iterator>
#include <limits>
#include <memory>

#include "longrun/base/cancellation.h"
#include "longrun/base/running_sum.h"
#include "longrun/simulate/optimum.h"
#include "longrun/simulate/regret.h"
#include "longrun/solve/best_allocation.h"

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

OptimumAfter optimum_after(const RunSpec& spec, const ComparedRun& run) {
  const double whole = run.best.value;
  if (!spec.constraints.none()) {
    return [last = static_cast<Pulls>(run.trace.size()), whole](Pulls steps) {
      return steps == last ? whole : std::numeric_limits<double>::quiet_NaN();
    };
  }
  const Pulls last = spec.setting.horizon;
  return [best = std::make_shared<const BestAllocations>(known_arms(spec.bandit, last)), last, whole](Pulls steps) {
    return steps == last ? whole : best->value(steps);
  };
}

std::string trajectory_csv(const RunSpec& spec, const ComparedRun& run) {
  const bool rounds = !run.rounds.empty();
  std::string csv = rounds ? "step,round,arm,pull,reward,regret\n" : "step,arm,pull,reward,regret\n";
  const auto add = [&](const TrajectoryStep& step) {
    const auto index = static_cast<std::size_t>(step.step - 1);
    fmt::format_to(std::back_inserter(csv), "{},", step.step);
    if (rounds) fmt::format_to(std::back_inserter(csv), "{},", run.rounds[index]);
    fmt::format_to(std::back_inserter(csv), "{},{},{},{}\n", step.arm, step.pull, step.reward,
                   std::isnan(step.regret) ? "" : fmt::format("{}", step.regret));
  };
  follow(World(spec.bandit, spec.setting.seed, spec.setting.replicate), spec.bandit, run.trace,
         optimum_after(spec, run), add);
  return csv;
}

}  // namespace longrun
