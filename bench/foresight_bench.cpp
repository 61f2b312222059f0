// The time of a step of foresight for several horizons and numbers of arms.
#include <fmt/format.h>

#include "bench/report.h"
#include "bench/rising_arms.h"
#include "longrun/policy/catalog.h"
#include "longrun/simulate/play.h"

namespace longrun {
namespace {

/// Measures a step of a policy. Arguments: arms, horizon.
void step(benchmark::State& state, const char* policy_name) {
  const auto arms = static_cast<Arm>(state.range(0));
  const Bandit bandit = rising_arms(arms);
  const PolicyChoice policy(policy_name);
  const Setting setting{.arms = arms, .horizon = state.range(1), .noise = bandit.noise};
  const RunResult result = play(policy, bandit, setting);
  if (result.pulls != play(policy, bandit, setting).pulls)
    return state.SkipWithError("two runs with the same seed differ");
  // One arm ends at 1, the other at 0.5: good decisions earn more than pulling them in turn.
  if (arms == 2 && result.earned < 0.8 * static_cast<double>(setting.horizon))
    return state.SkipWithError("earned less than 0.8 per pull");
  time_runs(state, setting.horizon, [&] { return play(policy, bandit, setting); });
}

[[maybe_unused]] const bool kForesightRegistered = [] {
  for (const char* name : {"foresight", "foresight:estimate_sd=1"}) {
    auto* bench = benchmark::RegisterBenchmark(name, [name](benchmark::State& state) { step(state, name); });
    bench->Args({2, 10'000})->Args({2, 1'000'000})->Args({100, 1'000'000})->Args({10'000, 1'000'000})->Repetitions(3);
  }
  auto* spo = benchmark::RegisterBenchmark("spo_rising", [](benchmark::State& state) { step(state, "spo"); });
  spo->Args({2, 10'000})->Repetitions(3);
  claims().push_back({"foresight step, T = 10^6 / T = 10^4", "foresight/2/1000000", "foresight/2/10000", 1.5, false});
  claims().push_back({"foresight step, 10^4 arms / 100 arms, T = 10^6", "foresight/10000/1000000",
                      "foresight/100/1000000", 30, false});
  claims().push_back(
      {"foresight step / SPO step, two arms, T = 10^4", "foresight/2/10000", "spo_rising/2/10000", 10, false});
  return true;
}();

}  // namespace
}  // namespace longrun
