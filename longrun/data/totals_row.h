#pragma once

#include <string>
#include <vector>

#include "longrun/data/csv.h"
#include "longrun/model/history.h"

namespace longrun {

/// Returns a warning if the last row of a file may be a total of the rows above it and no pull: no other row has its
/// arm, and the arm is called total, mean or the like, or its reward is the sum or the mean of at least five rewards
/// above it and different from each of them. O(n).
std::vector<std::string> totals_row_warnings(const std::string& path, const History& history,
                                             RowNames rows = RowNames::lines);

}  // namespace longrun
