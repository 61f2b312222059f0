#pragma once

#include <algorithm>
#include <span>
#include <utility>
#include <vector>

#include "longrun/base/cancellation.h"
#include "longrun/base/types.h"
#include "longrun/model/bandit.h"
#include "longrun/policy/catalog.h"
#include "longrun/policy/setting.h"
#include "longrun/simulate/world.h"

namespace longrun {

/// The result of one run.
struct RunResult {
  std::vector<Pulls> pulls;  ///< of each arm
  double earned = 0;         ///< sum of the mean rewards of all pulls made
};

/// Makes the pulls of `policy` in `world` from step `begin` up to, but without, step `end`. This is the hot loop: no
/// virtual call, no allocation, no string per step. All of it is inlined ("flatten"), because calls would take as long
/// as the step of a simple policy.
template <class Policy>
[[gnu::flatten]] void play_steps(World& world, Policy& policy, Pulls begin, Pulls end, std::span<Arm> trace) {
  for (Pulls step = begin; step < end; ++step) {
    const Arm arm = policy.choose();
    policy.observe(arm, world.pull(arm));
    if (!trace.empty()) trace[static_cast<std::size_t>(step)] = arm;
  }
}

/// Runs `policy` in `world` up to the last of the ascending `horizons` and returns the result at each of them. If
/// `trace` is not empty, it receives the arm of every step.
template <class Policy>
std::vector<RunResult> play(World world, Policy policy, std::span<const Pulls> horizons, std::span<Arm> trace = {}) {
  std::vector<RunResult> results;
  results.reserve(horizons.size());
  Pulls step = 0;
  for (const Pulls horizon : horizons) {
    while (step < horizon) {
      throw_if_cancelled();
      const Pulls pause = std::min(horizon, step + kStepsPerCancellationCheck);
      play_steps(world, policy, step, pause, trace);
      step = pause;
    }
    results.push_back({world.pulls(), world.earned()});
  }
  return results;
}

/// Runs `policy` in `world` for `horizon` pulls.
template <class Policy>
RunResult play(World world, Policy policy, Pulls horizon, std::span<Arm> trace = {}) {
  return play(std::move(world), std::move(policy), std::span<const Pulls>(&horizon, 1), trace)[0];
}

/// A run that is being played.
template <class Policy>
struct PolicyRun {
  World world;
  Policy policy;
};

/// Makes the next `steps` pulls of all runs, one pull of each in turn. While the arithmetic of one run waits for its
/// own results, the processor works on the others. r-exp3 then takes 13 ns per step, not 32, and spo on rising arms 14
/// ns, not 33; policies that wait little gain nothing (docs/performance.md).
template <class Policy>
[[gnu::flatten]] void play_steps(std::span<PolicyRun<Policy>> runs, Pulls steps) {
  for (Pulls step = 0; step < steps; ++step) {
    for (PolicyRun<Policy>& run : runs) {
      const Arm arm = run.policy.choose();
      run.policy.observe(arm, run.world.pull(arm));
    }
  }
}

/// Plays all runs, the first of them up to the first of the ascending `horizons`, the second up to the second, ... The
/// results are those of separate runs.
template <class Policy>
std::vector<RunResult> play_together(std::span<PolicyRun<Policy>> runs, std::span<const Pulls> horizons) {
  std::vector<RunResult> results;
  results.reserve(runs.size());
  Pulls step = 0;
  for (std::size_t ended = 0; ended < runs.size(); ++ended) {
    while (step < horizons[ended]) {
      throw_if_cancelled();
      const Pulls steps = std::min(horizons[ended] - step, kStepsPerCancellationCheck);
      play_steps(runs.subspan(ended), steps);
      step += steps;
    }
    results.push_back({runs[ended].world.pulls(), runs[ended].world.earned()});
  }
  return results;
}

/// Throws InputError if the setting is invalid, has another number of arms than `bandit`, or has a horizon for which
/// the bandit's curves are too short.
void check_fits(const Setting& setting, const Bandit& bandit);

/// Runs a policy of the catalog on `bandit` for `setting.horizon` pulls. `trace` is empty or has an entry for every
/// step. Throws InputError if the setting does not fit the bandit.
RunResult play(const PolicyChoice& policy, const Bandit& bandit, const Setting& setting, std::span<Arm> trace = {});

/// Runs a policy of the catalog once in `world` and returns the results at several ascending horizons, the last of them
/// `setting.horizon`. If the policy does not use the horizon, they equal those of separate runs.
std::vector<RunResult> play_on(const PolicyChoice& policy, World world, const Setting& setting,
                               std::span<const Pulls> horizons);

/// Runs a policy of the catalog once per setting, each time in a copy of `world`, up to the setting's horizon. Horizons
/// are ascending. The results are those of play_on() for each setting, in less time: see play_together().
std::vector<RunResult> play_each_on(const PolicyChoice& policy, const World& world, std::span<const Setting> settings);

}  // namespace longrun
