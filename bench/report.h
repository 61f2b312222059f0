#pragma once

#include <benchmark/benchmark.h>

#include <string>
#include <vector>

#include "longrun/base/types.h"
#include "longrun/simulate/play.h"

/// A statement about two benchmarks of the same run, printed after it: their ratio, and the bar it must meet.
struct Claim {
  std::string text;
  std::string numerator;    ///< name of a benchmark
  std::string denominator;  ///< name of a benchmark
  double bar;
  bool at_least;         ///< else: at most
  bool promised = true;  ///< else: shown for information
};

/// The claims of every benchmark file.
std::vector<Claim>& claims();

/// Registers claims before main() runs.
struct Claims {
  Claims(std::initializer_list<Claim> list) { claims().insert(claims().end(), list); }
};

/// Says how many steps all iterations made together; the report shows the time of one.
inline void count_steps(benchmark::State& state, double steps) {
  state.counters["step"] = benchmark::Counter(steps, benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}

/// Times whole runs of `play()`, of so many steps each.
template <class Play>
void time_runs(benchmark::State& state, longrun::Pulls horizon, Play play) {
  double steps = 0;
  for (auto _ : state) {
    benchmark::DoNotOptimize(play());
    steps += static_cast<double>(horizon);
  }
  count_steps(state, steps);
}
