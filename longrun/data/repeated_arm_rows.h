#pragma once

#include <string>
#include <vector>

#include "longrun/data/csv.h"
#include "longrun/model/history.h"

namespace longrun {

/// Returns a warning if every row of an arm occurs twice, or k times, one after the other among the rows of the arm, as
/// after a join with a table that has the arm k times. It is given only if so many rewards are hardly equal by chance,
/// and if they rise and fall: rewards that only grow may be equal because they are rounded. O(n log n).
std::vector<std::string> repeated_arm_row_warnings(const std::string& path, const History& history,
                                                   RowNames rows = RowNames::lines);

}  // namespace longrun
