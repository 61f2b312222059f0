#pragma once

#include <string>
#include <vector>

#include "longrun/experiment/config.h"
#include "longrun/experiment/internal/toml_value.h"

namespace longrun {

/// An arm given as {formula = ...} or {rewards = ...}, without its name.
struct ArmChoice {
  Curve curve;
  std::string toml;  ///< the keys that read_arm() reads as the same curve, without braces
};
/// Reads an arm. Throws InputError if a reward within its first `longest` pulls is outside [0, 1].
ArmChoice read_arm(const TomlValue& value, Pulls longest);

/// Reads the bandits of a config: those that the key `bandits` lists, in its order, then every [[bandit]] that it does
/// not name. Throws InputError unless every bandit has rewards up to `longest`, the longest of `horizons`, and all are
/// in [0, 1]. CSV files are relative to the folder of `config_path`.
std::vector<BanditChoice> read_bandits(const TomlValue& root, const std::string& config_path, const TomlValue& horizons,
                                       Pulls longest);

}  // namespace longrun
