// The time of a step against the number of arms and the horizon: the data of the figure in docs/performance.md.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <string>

#include "bench/report.h"
#include "bench/rising_arms.h"
#include "longrun/policy/catalog.h"
#include "longrun/simulate/play.h"

namespace longrun {
namespace {

constexpr Pulls kFewSteps = 20'000;  // of a run with few arms
constexpr Pulls kStepsPerArm = 10;   // of a run with many
constexpr Pulls kHorizonPanelArms = 2;

/// Measures a step, with its noise drawn. Arguments: arms, horizon.
void cost(benchmark::State& state, const char* name) {
  const auto arms = static_cast<Arm>(state.range(0));
  const Bandit bandit = rising_arms(arms);
  const PolicyChoice policy(name);
  const Setting setting{.arms = arms, .horizon = state.range(1), .noise = bandit.noise};
  const RunResult result = play(policy, bandit, setting);
  if (std::accumulate(result.pulls.begin(), result.pulls.end(), Pulls{0}) != setting.horizon)
    return state.SkipWithError("the pulls do not add up to the horizon");
  if (result.pulls != play(policy, bandit, setting).pulls)
    return state.SkipWithError("two runs with the same seed differ");
  time_runs(state, setting.horizon, [&] { return play(policy, bandit, setting); });
}

[[maybe_unused]] const bool kCostModelRegistered = [] {
  for (const char* name : kShownPolicies) {
    const auto add = [&](const std::string& panel, Arm arms, Pulls horizon) {
      benchmark::RegisterBenchmark(fmt::format("{}/{}", panel, name).c_str(),
                                   [name](benchmark::State& state) { cost(state, name); })
          ->Args({arms, horizon})
          ->MinTime(0.1)
          ->Repetitions(3);
    };
    for (const Arm arms : kShownArms) add("by_arms", arms, std::max(kFewSteps, kStepsPerArm * arms));
    for (const Pulls horizon : kShownHorizons) add("by_horizon", kHorizonPanelArms, horizon);
  }
  return true;
}();

}  // namespace
}  // namespace longrun
