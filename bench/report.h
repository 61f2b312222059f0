#pragma once

#include <benchmark/benchmark.h>

#include <string>
#include <vector>

#include "longrun/base/types.h"
#include "longrun/simulate/play.h"

/// A bound on the ratio of the times of two benchmarks of the same run, printed after the run.
struct Claim {
  std::string text;
  std::string numerator;    ///< name of a benchmark
  std::string denominator;  ///< name of a benchmark
  double bar;               ///< bound on numerator / denominator
  bool at_least;            ///< whether the bar is a lower bound, else an upper bound
  bool promised = true;     ///< whether a ratio beyond the bar is a failure, else the ratio is shown for information
};

// What the figure in docs/performance.md shows.
inline constexpr const char* kShownPolicies[] = {"greedy", "ucb", "sw-ucb", "exp3", "spo", "foresight"};
inline constexpr longrun::Arm kShownArms[] = {2, 10, 100, 1'000, 10'000};
inline constexpr longrun::Pulls kShownHorizons[] = {1'000, 10'000, 100'000, 1'000'000};

/// Returns the bytes that the program has allocated with `new` and not freed, with the rest of their blocks
/// (baseline_bench.cpp).
std::size_t allocated_bytes();

/// Returns the claims of all benchmark files.
std::vector<Claim>& claims();

/// A registration of claims, made before main() runs.
struct Claims {
  Claims(std::initializer_list<Claim> list) { claims().insert(claims().end(), list); }
};

/// Sets the number of steps of all iterations together; the report shows the time of one step.
inline void count_steps(benchmark::State& state, double steps) {
  state.counters["step"] = benchmark::Counter(steps, benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}

/// Measures calls of `play()`, each a run of `horizon` steps.
template <class Play>
void time_runs(benchmark::State& state, longrun::Pulls horizon, Play play) {
  double steps = 0;
  for (auto _ : state) {
    benchmark::DoNotOptimize(play());
    steps += static_cast<double>(horizon);
  }
  count_steps(state, steps);
}
