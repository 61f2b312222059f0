#pragma once

#include <atomic>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "longrun/base/task_pool.h"
#include "longrun/base/timing.h"
#include "longrun/experiment/config.h"
#include "longrun/experiment/shard.h"
#include "longrun/experiment/store.h"
#include "longrun/experiment/work.h"

namespace longrun {

/// The progress of a session. Work is that of this process, over all its experiments.
struct SessionProgress {
  std::string experiment;            ///< the one whose unit began last
  std::size_t experiments_done = 0;  ///< whose units are all recorded
  std::size_t experiments = 1;
  Work done;
  Work recorded_before;  ///< of `done`, by earlier sessions
  Work total;
  bool finished = false;  ///< true in the last call, after the last run
};

/// The options of a RunSession.
struct SessionOptions {
  int threads = 0;               ///< 0: one per core; under mpirun, the processes of a machine share its cores
  std::optional<Shard> shard{};  ///< if set, only this shard is computed
  bool restart = false;          ///< drops the records of these experiments first, and replaces an unusable store
  const std::atomic<bool>* stop = nullptr;  ///< once true, units being computed are dropped and run() returns
  std::function<void(const SessionProgress&)> on_progress{};  ///< called several times per second, and at the end
  std::function<void(const std::string&)> on_message{};       ///< called with one line for the user
  /// Called for each experiment whose records are complete in the folder, by several threads at a time, while others
  /// are computed. Not called if this process computes one shard of several.
  std::function<void(const Config&, TaskPool& pool)> on_recorded{};
  Timing* timing = nullptr;  ///< if set, gets the times of all parts
};

/// The outcome of RunSession::run().
struct SessionResult {
  Work done;
  Work total;
  bool stopped = false;   ///< by `stop`, before all runs were recorded and all calls of on_recorded were made
  bool complete = false;  ///< the folder holds all records; under mpirun, true in one process only
};

/// A run of several experiments by this process: all of their units, those of a shard, or under mpirun those of the
/// shard that follows from its rank. Every mpirun process records in a folder of its own below the output folder, and
/// the process that finishes last merges the records. If this process computes one shard of several, errors name it.
class RunSession {
 public:
  /// Throws InputError if a shard is given under mpirun.
  explicit RunSession(SessionOptions options);

  const Shard& shard() const { return shard_; }
  /// Returns whether this process should not report progress: under mpirun, only the first process does.
  bool is_silent() const { return by_mpirun_ && shard_.index > 1; }

  std::vector<Config> load_configs(const std::vector<std::string>& files) const;

  /// Computes the units that are not recorded yet and records them in out/records.sqlite. Throws InputError if two
  /// experiments have the same name.
  SessionResult run(const std::vector<Config>& configs, const std::string& out) const;

 private:
  SessionResult run_alone(const std::vector<Config>& configs, const std::string& out) const;
  SessionResult run_as_rank(const std::vector<Config>& configs, const std::string& out) const;
  SessionResult compute(Store& store, const std::vector<Config>& configs) const;
  void open_store(std::optional<Store>& store, const std::string& folder) const;

  SessionOptions options_;
  Shard shard_{};           // the units that this process computes
  bool by_mpirun_ = false;  // mpirun started several processes
};

}  // namespace longrun
