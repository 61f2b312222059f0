#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "longrun/model/history.h"

namespace longrun {

/// Returns whether a label is what other programs write for a missing value or an error: NULL, nan, `#N/A`, (blank),
/// in upper or lower case. None and NA are left out, because arms are called so.
bool is_missing_label(std::string_view label);

/// Returns a warning that lists the arms that are called so, if the history has other arms or several of these. Their
/// rows are probably those of other arms. O(n).
std::vector<std::string> missing_label_warnings(const std::string& path, const History& history);

}  // namespace longrun
