#pragma once

#include <string>
#include <vector>

#include "longrun/experiment/check.h"
#include "longrun/experiment/internal/toml_value.h"
#include "longrun/policy/catalog.h"

namespace longrun {

/// Reads the key `checks` of an experiment with these policies.
std::vector<Check> read_checks(const TomlValue& root, const std::vector<PolicyChoice>& policies);

/// Returns the text that read_checks() reads as the same.
std::string to_toml(const std::vector<Check>& checks);

}  // namespace longrun
