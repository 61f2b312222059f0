#pragma once

#include <string_view>
#include <vector>

#include "longrun/model/bandit.h"

namespace longrun {

/// Returns a bandit without noise whose arms follow formulas. The names of the arms are f_1, f_2, ...
Bandit formula_bandit(std::string_view name, const std::vector<Formula>& curves, Pulls horizon);

}  // namespace longrun
