#include "longrun/simulate/compared_run.h"

#include <utility>

#include "longrun/simulate/optimum.h"
#include "longrun/simulate/play.h"
#include "longrun/simulate/play_constrained.h"
#include "longrun/simulate/regret.h"

namespace longrun {
namespace {

RunResult play_unconstrained(const RunSpec& spec, const Setting& setting, bool with_trace, ComparedRun& run) {
  if (with_trace) run.trace.resize(static_cast<std::size_t>(setting.horizon));
  return play(spec.policy, spec.bandit, setting, run.trace);
}

RunResult play_under_constraints(const RunSpec& spec, const Setting& setting, bool with_trace, ComparedRun& run) {
  std::vector<RoundPull> pulls;
  RunResult result = play_constrained(World(spec.bandit, setting.seed, setting.replicate), spec.policy, setting,
                                      spec.constraints, with_trace ? &pulls : nullptr);
  for (const auto& [round, arm] : pulls) {
    run.rounds.push_back(round);
    run.trace.push_back(arm);
  }
  return result;
}

}  // namespace

ComparedRun play_and_compare(const RunSpec& spec, bool with_trace) {
  check_fits(spec.setting, spec.bandit);
  ComparedRun run;
  run.best = optimal_allocation(spec.bandit, spec.setting.horizon, spec.constraints);
  Setting setting = spec.setting;
  if (spec.policy.entry().traits.needs_plan) setting.plan = run.best.pulls;
  const auto play = spec.constraints.none() ? play_unconstrained : play_under_constraints;
  RunResult result = play(spec, setting, with_trace, run);
  run.pulls = std::move(result.pulls);
  run.earned = result.earned;
  run.regret = policy_regret(run.best.value, result.earned);
  run.per_step_regret = run.regret / static_cast<double>(setting.horizon);
  return run;
}

OtherShapes other_shapes(const Bandit& bandit) {
  OtherShapes others;
  for (std::size_t arm = 0; arm < bandit.arms.size(); ++arm) {
    const Shape shape = shape_of(bandit.arms[arm], bandit.horizon, rounding_tolerance(bandit.arms[arm]));
    if (shape.single_peaked) continue;
    ++others.count;
    if (shape.deviation <= others.deviation) continue;
    others.worst = arm;
    others.deviation = shape.deviation;
  }
  return others;
}

}  // namespace longrun
