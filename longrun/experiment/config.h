#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "longrun/base/types.h"
#include "longrun/experiment/check.h"
#include "longrun/model/bandit.h"
#include "longrun/model/noise.h"
#include "longrun/simulate/contest.h"

namespace longrun {

/// A bandit of an experiment. A '*' in its name is replaced by the seed: const_* is const_1 for seed 1.
struct BanditChoice {
  std::string name;       ///< as in the config: a built-in name, the path of a CSV file, or that of a [[bandit]] table
  bool per_seed = false;  ///< the name contains '*'

  Bandit at(std::uint32_t seed) const;  ///< seeds count from 1

  std::optional<Bandit> fixed{};  ///< set unless per_seed
  std::string arms{};             ///< of a CSV file or a [[bandit]]: the arms as TOML, with all rewards
};

/// An illustration of the linear program (*): a few observations of an arm, and the bound that follows.
struct LpChoice {
  std::string title;
  Curve curve;
  std::string arm;  ///< as TOML
  Noise noise;
  Pulls observed = 5;
  Pulls future = 5;  ///< pulls after the observed ones
};

/// One experiment: every policy on every bandit with every noise at every horizon, each with the same number of seeds.
/// A config with illustrations has no runs.
struct Config : Contest {
  std::string path;           ///< of the config file
  std::string name;           ///< of the file, without .toml
  std::string title;          ///< the name if the file has no title
  std::string group;          ///< the heading of its figures in the report
  std::string claim;          ///< the statement of the paper, as text
  std::vector<Check> checks;  ///< the same statement as inequalities
  std::vector<BanditChoice> bandits;
  std::vector<Noise> noises;
  std::uint32_t seeds = 1;
  std::uint32_t first_seed = 1;  ///< replicates first_seed .. first_seed + seeds - 1
  bool held_out = false;         ///< not for tuning: policies are judged by it, but never chosen by it

  std::vector<LpChoice> illustrations;  ///< empty if the config has runs

  std::uint64_t runs() const;
  std::uint64_t steps() const;  ///< pulls of all runs
};

/// Reads a TOML file, described in experiments/README.md. Throws InputError with file, line, key, value and what is
/// allowed. Each [[family]] table of a file is an experiment of its own, named FILE.FAMILY; a key that the table lacks
/// has the value at the top of the file.
std::vector<Config> load_configs(const std::string& path);
/// Reads several files, in their order.
std::vector<Config> load_configs(const std::vector<std::string>& paths);
/// Reads a text. `path` is for messages, and paths of CSV files are relative to its folder.
std::vector<Config> parse_configs(std::string_view text, const std::string& path);
/// Reads one experiment, from a file or a text without families.
Config load_config(const std::string& path);
Config parse_config(std::string_view text, const std::string& path);

/// Returns a text that parse_config() reads as the same config in any folder: CSV files are included, horizons listed,
/// comments dropped.
std::string to_toml(const Config& config);
/// Returns whether two configs ask for the same runs. Title, group, claim and checks do not matter.
bool same_runs(const Config& a, const Config& b);

}  // namespace longrun
