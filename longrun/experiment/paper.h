#pragma once

#include <span>
#include <string>
#include <vector>

#include "longrun/base/embedded_file.h"
#include "longrun/experiment/config.h"

namespace longrun {

/// Returns the config files of the paper's experiments, experiments/*.toml, in the order of its figures.
std::span<const EmbeddedFile> paper_experiments();
/// Returns the names of their files without .toml.
std::vector<std::string> paper_experiment_names();
/// Returns the experiments with these names, in the order of the paper; all for an empty list. Throws InputError for an
/// unknown name.
std::vector<Config> paper_configs(const std::vector<std::string>& names);
/// Returns a shorter experiment for a first look: a fifth of the horizons, including the longest, and a sixth of the
/// seeds.
Config shortened(Config config);

/// Returns experiments/arena.toml: families of noisy bandits on which policies are compared.
const EmbeddedFile& arena_experiment();

/// Changes to the arena.
struct ArenaChanges {
  std::vector<std::string> policies;  ///< added to those of the file, as in a config
  bool only = false;                  ///< drops those of the file, except the one that scores are relative to
  bool development = false;           ///< uses the seeds for tuning, and leaves out the families that are held out
  bool quick = false;                 ///< 5 seeds
};
/// Returns the arena's experiments, one per family. Throws InputError for an unknown policy.
std::vector<Config> arena_configs(const ArenaChanges& changes);

}  // namespace longrun
