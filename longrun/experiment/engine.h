#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>

#include "longrun/experiment/config.h"
#include "longrun/experiment/store.h"

namespace longrun {

/// How far a run of an experiment is. Steps are those of the config, also where one pass served many horizons.
struct Progress {
  std::uint64_t runs_done = 0;
  std::uint64_t runs_total = 0;
  std::uint64_t steps_done = 0;
  std::uint64_t steps_total = 0;
  std::uint64_t runs_before = 0;  ///< of runs_done, those recorded by an earlier call
};

struct RunOptions {
  int threads = 0;  ///< 0: one per core
  Shard shard{};
  bool restart = false;
  std::function<void(const Progress&)> on_progress{};  ///< called now and then, by one thread at a time
  std::chrono::milliseconds every{200};                ///< how often progress is shown and records are committed
  const std::atomic<bool>* stop = nullptr;             ///< once true: drop what is being computed, return
};

/// Computes what is not recorded yet of an experiment, in parallel, and records it. What is recorded does not depend on
/// the number of threads, the order of work or interruptions. Returns the progress made; runs_done < runs_total where
/// stopped.
Progress run_experiment(const Config& config, Store& store, const RunOptions& options);

/// All runs of one unit.
std::vector<ContestRun> run_unit(const Config& config, const Unit& unit);

}  // namespace longrun
