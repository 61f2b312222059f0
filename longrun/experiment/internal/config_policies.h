#pragma once

#include <vector>

#include "longrun/experiment/internal/toml_value.h"
#include "longrun/policy/catalog.h"

namespace longrun {

/// Returns the policies of the key `policies`. A table with lists of values gives one policy per combination of
/// them; the last list of the file varies fastest. Throws InputError for duplicates and for more than 1000 policies.
std::vector<PolicyChoice> read_policies(const TomlValue& root);

}  // namespace longrun
