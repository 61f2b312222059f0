#pragma once

#include <string_view>
#include <vector>

#include "longrun/model/bandit.h"

namespace longrun {

/// A bandit without noise whose arms follow formulas; they are named f_1, f_2, ...
Bandit formula_bandit(std::string_view name, const std::vector<Formula>& curves, Pulls horizon);

}  // namespace longrun
