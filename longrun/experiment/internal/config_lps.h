#pragma once

#include <string>
#include <vector>

#include "longrun/experiment/config.h"
#include "longrun/experiment/internal/toml_value.h"

namespace longrun {

/// Reads the list [[lp]] of a config.
std::vector<LpChoice> read_lps(const TomlValue& list);

/// Returns the text that read_lps() reads as the same.
std::string to_toml(const std::vector<LpChoice>& lps);

}  // namespace longrun
