#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "apps/longrun/parser.h"
#include "longrun/base/task_pool.h"
#include "longrun/base/timing.h"
#include "longrun/experiment/config.h"

namespace longrun {

/// The options for running experiments that `run`, `reproduce` and `arena` share.
struct RunFlags {
  std::optional<std::string> threads;
  std::optional<std::string> shard;
  bool restart = false;
  bool quiet = false;
  bool timing = false;

  void add_to(CLI::App& parser);
  /// Returns the number of threads; 0: one per core. Throws InputError.
  int thread_count() const;
};

/// Reads experiments. Errors name the shard if this process computes one of several.
std::vector<Config> load_configs(const std::vector<std::string>& files, const RunFlags& flags);

/// Computes the runs that are not recorded yet and records them in out/records.sqlite, with progress on standard error.
/// `timing` gets the times; `on_recorded`, if given, is called as SessionOptions::on_recorded. Returns whether `out`
/// holds all records (false: this process computed one shard of several). Throws Interrupted after Ctrl-C.
bool run_experiments(const std::vector<Config>& configs, const std::string& out, const RunFlags& flags, Timing& timing,
                     std::function<void(const Config&, TaskPool&)> on_recorded = {});

/// Prints where the time went on standard error, if --timing is given.
void print_timing(const RunFlags& flags, const Timing& timing);

}  // namespace longrun
