#pragma once

#include <optional>
#include <string>
#include <vector>

#include "apps/longrun/parser.h"
#include "longrun/experiment/config.h"

namespace longrun {

/// How experiments are run: the options that `run` and `reproduce` share.
struct RunFlags {
  std::optional<std::string> threads;
  std::optional<std::string> shard;
  bool restart = false;
  bool quiet = false;

  void add_to(CLI::App& parser);
};

/// Reads experiments. Errors name the shard, where this process does one of several.
std::vector<Config> load_configs(const std::vector<std::string>& files, const RunFlags& flags);

/// Runs what is not recorded yet, into out/records.sqlite, with progress on standard error. No two experiments may have
/// the same name. Throws Interrupted after Ctrl-C. Returns whether `out` now holds all records (false: this process did
/// one shard of several).
///
/// Under mpirun every process does a shard of its own, in a folder below `out`, and the one that finishes last merges
/// them. Errors name the shard.
bool run_experiments(const std::vector<Config>& configs, const std::string& out, const RunFlags& flags);

}  // namespace longrun
