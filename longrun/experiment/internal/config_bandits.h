#pragma once

#include <string>
#include <vector>

#include "longrun/experiment/config.h"
#include "longrun/experiment/internal/toml_value.h"

namespace longrun {

/// An arm as {formula = ...} or {rewards = ...}; its name is its bandit's business.
struct ArmChoice {
  Curve curve;
  std::string toml;  ///< the same text again, without braces and name
};
/// Checked to pay rewards in [0, 1] for its first `longest` pulls, or for as many as it has.
ArmChoice read_arm(const TomlValue& value, Pulls longest);

/// The bandits of a config: those that `bandits` lists, in its order, then every [[bandit]] it does not name. Each is
/// checked to pay rewards in [0, 1] for as long as the longest of `horizons`. CSV files stand relative to
/// `config_path`.
std::vector<BanditChoice> read_bandits(const TomlValue& root, const std::string& config_path, const TomlValue& horizons,
                                       Pulls longest);

}  // namespace longrun
