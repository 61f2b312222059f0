#pragma once

#include <string>
#include <vector>

#include "longrun/data/csv.h"
#include "longrun/model/history.h"

namespace longrun {

/// Returns a warning if rows of a file, wherever they are, may be totals or subtotals of other rows and no pulls. A row
/// may be one
///
/// - if its arm is called total, mean or the like and another arm is not, whatever its reward; two arms that are called
///   mean, median, max or the like and have several rows each, which are no means of other rows, are ways to summarise;
/// - if it is the only row of its arm, and the arm is called so with the label of another arm or with a number: "Total
///   north", "Q1 total";
/// - if the arm is called nearly so ("all"), and nearly all of its rewards are the sum or the mean of the rows above or
///   below it, up to the next such row, or of all other rows;
/// - if it is the only row of its arm, whatever its label, and its reward is such a sum or mean of at least five
///   rewards, and that can hardly be chance.
///
/// O(n), and O(n log n) in the number of arms.
std::vector<std::string> totals_row_warnings(const std::string& path, const History& history,
                                             RowNames rows = RowNames::lines);

}  // namespace longrun
