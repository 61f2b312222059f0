#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>

#include "longrun/experiment/config.h"
#include "longrun/experiment/store.h"

namespace longrun {

/// The progress of an experiment. Steps are counted per run, even where one simulation gives the runs of many horizons.
struct Progress {
  std::uint64_t runs_done = 0;
  std::uint64_t runs_total = 0;
  std::uint64_t steps_done = 0;
  std::uint64_t steps_total = 0;
  std::uint64_t runs_before = 0;  ///< of runs_done, those recorded by an earlier call
};

/// The options of run_experiment().
struct RunOptions {
  int threads = 0;  ///< 0: one per core
  Shard shard{};
  bool restart = false;
  std::function<void(const Progress&)> on_progress{};  ///< called about every `every`, by one thread at a time
  std::chrono::milliseconds every{200};                ///< time between calls of on_progress, and between commits
  const std::atomic<bool>* stop = nullptr;             ///< once true, units being computed are dropped
};

/// Computes the units of an experiment that are not recorded yet, in parallel, and records them. The records do not
/// depend on the number of threads, the order of work or interruptions. Returns the progress at the end; after a stop,
/// runs_done may be below runs_total.
Progress run_experiment(const Config& config, Store& store, const RunOptions& options);

/// Returns all runs of one unit.
std::vector<ContestRun> run_unit(const Config& config, const Unit& unit);

}  // namespace longrun
