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

/// A bandit of an experiment. A '*' in its name stands for the number of the seed (const_*: another instance per seed).
struct BanditChoice {
  std::string
      name;  ///< as in the config: a name for named_bandit(), the path of a CSV file, or the name of a [[bandit]]
  bool per_seed = false;

  Bandit at(std::uint32_t seed) const;  ///< seeds count from 1

  std::optional<Bandit> fixed{};  ///< set unless per_seed
  std::string arms{};             ///< of a CSV file or a [[bandit]]: its arms as TOML, all rewards included
};

/// A few observations of an arm, to show what the linear program (*) makes of them.
struct LpChoice {
  std::string title;
  Curve curve;
  std::string arm;  ///< as TOML
  Noise noise;
  Pulls observed = 5;
  Pulls future = 5;  ///< pulls after those
};

/// One experiment: every policy on every bandit with every noise at every horizon, each with as many seeds.
/// Or none of that, but illustrations.
struct Config : Contest {
  std::string path;           ///< the file
  std::string name;           ///< its name without .toml
  std::string title;          ///< the name where the file gives none
  std::string group;          ///< the report's heading it stands under
  std::string claim;          ///< what the paper says of it
  std::vector<Check> checks;  ///< the same, so that records can prove it right or wrong
  std::vector<BanditChoice> bandits;
  std::vector<Noise> noises;
  std::uint32_t seeds = 1;
  std::uint32_t first_seed = 1;  ///< replicates first_seed .. first_seed + seeds - 1

  std::vector<LpChoice> illustrations;  ///< where there are any, there is nothing to run

  std::uint64_t runs() const;   ///< how many runs it takes
  std::uint64_t steps() const;  ///< how many pulls those make
};

/// Reads a TOML file; experiments/README.md describes it. Throws InputError with file, line, key, value and what is
/// allowed.
/// A file with [[family]] tables is as many experiments, named FILE.FAMILY; what a family does not say, the top of the
/// file says for all.
std::vector<Config> load_configs(const std::string& path);
/// The same from a text.
std::vector<Config> parse_configs(std::string_view text, const std::string& path);
/// One experiment, from a file or a text that has no families; `path` is for messages and for CSV files named relative
/// to it.
Config load_config(const std::string& path);
Config parse_config(std::string_view text, const std::string& path);

/// A text that parse_config() reads as the same config wherever it stands: CSV files are written out, horizons listed,
/// comments gone.
std::string to_toml(const Config& config);
/// Whether two configs ask for the same runs, whatever they say of them.
bool same_runs(const Config& a, const Config& b);

}  // namespace longrun
