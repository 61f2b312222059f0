#pragma once

#include <string>
#include <vector>

#include "longrun/data/csv.h"
#include "longrun/model/history.h"

namespace longrun {

/// Returns a warning if the rows of a file seem to be sorted by their rewards, or these to be running totals: from row
/// to row, whatever its arm, no reward is smaller, or none is larger, and that is hardly so by chance. Equal arms that
/// grow without noise look the same, so rows are exempt if at every row the arms differ by at most one in their pulls,
/// or if the rewards of all arms are the same after the same number of pulls. O(n log n).
std::vector<std::string> sorted_reward_warnings(const std::string& path, const std::vector<PastPull>& pulls,
                                                RowNames rows = RowNames::lines);

}  // namespace longrun
