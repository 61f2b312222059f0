#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "longrun/data/csv.h"
#include "longrun/model/history.h"

namespace longrun {

/// Returns a warning if rows of a file seem to be copies of others: the last rows repeat those before them, every row
/// occurs twice, a block of at least 8 rows occurs once more anywhere, or each of at least 20 successive rows occurs
/// twice. Rewards are only compared with each other if it is improbable that they are equal by chance: rewards that
/// most rows of their arm have say little, and rows that repeat more often follow a pattern. If the file has other
/// columns, `others` has a hash of their cells for each row, else it is empty: a block that occurs twice in all columns
/// needs fewer different rewards, because dates or amounts leave few places where rows can be equal. O(n log n).
std::vector<std::string> repeated_row_warnings(const std::string& path, const std::vector<PastPull>& pulls,
                                               const std::vector<std::size_t>& others = {},
                                               RowNames names = RowNames::lines);

}  // namespace longrun
