#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <span>

#include "longrun/base/task_pool.h"
#include "longrun/base/timing.h"
#include "longrun/experiment/config.h"
#include "longrun/experiment/store.h"

namespace longrun {

/// The progress of experiments. Steps are counted per run, even where one simulation gives the runs of many horizons.
struct Progress {
  std::uint64_t runs_done = 0;
  std::uint64_t runs_total = 0;
  std::uint64_t steps_done = 0;
  std::uint64_t steps_total = 0;
  std::uint64_t runs_before = 0;     ///< of runs_done, those recorded by an earlier call
  std::uint64_t steps_before = 0;    ///< the same of steps_done
  std::size_t experiment = 0;        ///< index of the experiment whose unit began last
  std::size_t experiments_done = 0;  ///< whose units are all recorded
};

/// The options of run_experiments().
struct RunOptions {
  int threads = 0;  ///< 0: one per core
  Shard shard{};
  bool restart = false;
  std::function<void(const Progress&)> on_progress{};  ///< called about every `every`, by one thread at a time
  std::chrono::milliseconds every{200};                ///< time between calls of on_progress, and between commits
  const std::atomic<bool>* stop = nullptr;             ///< once true, units being computed are dropped
  /// Called once for each experiment whose units are all recorded and committed, also by earlier calls, by several
  /// threads at a time. It may read the store's file and add tasks to the pool. Not called after a stop.
  std::function<void(std::size_t experiment, TaskPool& pool)> on_recorded{};
  Timing* timing = nullptr;  ///< if set, gets the times of all parts
};

/// Computes the units of several experiments that are not recorded yet, in parallel, and records them. The records do
/// not depend on the number of threads, the order of work or interruptions. Returns the progress at the end; after a
/// stop, runs_done may be below runs_total. Names of experiments must differ.
Progress run_experiments(std::span<const Config> configs, Store& store, const RunOptions& options);
Progress run_experiment(const Config& config, Store& store, const RunOptions& options);

/// Returns all runs of one unit.
std::vector<ContestRun> run_unit(const Config& config, const Unit& unit);

}  // namespace longrun
