#pragma once

#include <string>

#include "longrun/experiment/config.h"
#include "longrun/experiment/internal/toml_value.h"

namespace longrun {

/// The table [constraints] of an experiment with these bandits, seeds and horizons: what none of them could meet is
/// refused.
Constraints read_constraints(const TomlValue& table, const Config& config);

/// The text read_constraints() reads as the same; empty where there are none.
std::string to_toml(const Constraints& constraints);

}  // namespace longrun
