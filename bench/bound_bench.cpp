// The time to update the exact bound for one more observation, compared with solving (*) with CLP.
#include <cmath>
#include <optional>

#include "bench/report.h"
#include "longrun/simulate/world.h"
#include "longrun/solve/optimistic_future.h"
#include "tests/clp_oracle.h"

namespace longrun {
namespace {

constexpr Pulls kObserved = 1'000;
constexpr Pulls kHorizon = 10'000;

/// Returns observations of the first arm of inc_1 with bounded noise: (*) remains feasible.
std::vector<Band> observed_bands() {
  const Bandit bandit{.name = "one",
                      .arm_names = {"one"},
                      .arms = {SaturatingPower{1, 1, 0.5}},
                      .noise = Uniform{0.05},
                      .recorded_noise = nullptr};
  World world(bandit, 1);
  std::vector<Band> bands;
  for (Pulls pull = 0; pull < kObserved; ++pull) {
    const double y = world.pull(0);
    bands.push_back({y - 0.05, y + 0.05});
  }
  return bands;
}

const std::vector<Band> kBands = observed_bands();
std::optional<double> clp_answer;

void bound_by_clp(benchmark::State& state) {
  for ([[maybe_unused]] auto _ : state) clp_answer = optimistic_future_by_clp(kBands, kHorizon - kObserved);
  if (!clp_answer) state.SkipWithError("CLP found no solution");
}

/// Measures adding observation 1000 and computing the bound.
void bound_of_one_more_observation(benchmark::State& state) {
  RisingEnvelope before;
  for (std::size_t j = 0; j + 1 < kBands.size(); ++j) before.add(kBands[j]);
  RisingEnvelope after = before;
  after.add(kBands.back());
  const double bound = after.outlook().total(kHorizon - kObserved);
  if (!clp_answer) clp_answer = optimistic_future_by_clp(kBands, kHorizon - kObserved);
  if (std::abs(bound - *clp_answer) > 1e-6 * bound) return state.SkipWithError("the bound differs from that of CLP");

  std::vector<RisingEnvelope> fresh(2'000, before);
  std::size_t next = fresh.size();
  for ([[maybe_unused]] auto _ : state) {
    if (next == fresh.size()) {
      state.PauseTiming();
      std::fill(fresh.begin(), fresh.end(), before);
      next = 0;
      state.ResumeTiming();
    }
    fresh[next].add(kBands.back());
    benchmark::DoNotOptimize(fresh[next].outlook().total(kHorizon - kObserved));
    ++next;
  }
}

/// Measures adding observations 1 .. 1000 and computing the bound after each, as in a run.
void bound_of_each_observation_in_a_run(benchmark::State& state) {
  double steps = 0;
  for ([[maybe_unused]] auto _ : state) {
    RisingEnvelope envelope;
    for (Pulls n = 1; n <= kObserved; ++n) {
      envelope.add(kBands[static_cast<std::size_t>(n - 1)]);
      benchmark::DoNotOptimize(envelope.outlook().total(kHorizon - n));
    }
    steps += static_cast<double>(kObserved);
  }
  count_steps(state, steps);
}

BENCHMARK(bound_by_clp)->Iterations(1)->Unit(benchmark::kMillisecond);
BENCHMARK(bound_of_one_more_observation)->Repetitions(3);
BENCHMARK(bound_of_each_observation_in_a_run)->Repetitions(3);

const Claims kBoundClaims{{"(*) by CLP / one more observation, n = 1000, T = 10000", "bound_by_clp",
                           "bound_of_one_more_observation", 1e5, true}};

}  // namespace
}  // namespace longrun
