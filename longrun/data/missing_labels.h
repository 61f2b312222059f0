#pragma once

#include <string>
#include <vector>

#include "longrun/model/history.h"

namespace longrun {

/// Returns a warning if an arm of several is called as other programs write a missing value or an error: NULL, nan,
/// #N/A, (blank). Its rows are probably those of other arms. None and NA are left out, because arms are called so.
std::vector<std::string> missing_label_warnings(const std::string& path, const History& history);

}  // namespace longrun
