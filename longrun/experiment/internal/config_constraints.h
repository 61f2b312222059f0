#pragma once

#include <string>

#include "longrun/experiment/config.h"
#include "longrun/experiment/internal/toml_value.h"

namespace longrun {

/// Reads the table [constraints]. Throws InputError if no allocation meets them for a bandit and a horizon of the
/// config, or if an arm does not exist. A bandit with an instance per seed is checked for every number of arms that an
/// instance has.
Constraints read_constraints(const TomlValue& table, const Config& config);

/// Returns the text that read_constraints() reads as the same; empty for no constraints.
std::string to_toml(const Constraints& constraints);

}  // namespace longrun
