#pragma once

#include <string>
#include <vector>

#include "longrun/data/csv.h"
#include "longrun/model/history.h"

namespace longrun {

/// Returns a warning if the rewards of each arm seem to be sorted, and not to be made in this order. The rewards of all
/// arms must ascend, or those of all must descend, and look like noise that was sorted in one of three ways:
///
/// - their steps are irregular, as those between sorted random numbers: a step and its neighbours differ far more than
///   those of a curve do;
/// - they are rounded, but follow the quantiles of a normal distribution: large steps at both ends, better than a
///   parabola does;
/// - they have few values, the rows are sorted by arm too, and several arms have the same two values repeatedly, as all
///   failures before all successes, or at least five values of which those in the middle are the most frequent.
///
/// Rewards of a curve that are exact look like none of these, whether it rises, falls or bends. Sorted rewards that
/// look like a curve cannot be recognised: sorted uniform noise that is rounded, few rows, arms that fall from 1 to 0
/// once.
///
/// O(n log n) time and O(n) memory. If rewards of an arm ascend and others descend, O(n) time and O(arms) memory.
std::vector<std::string> sorted_arm_warnings(const std::string& path, const History& history,
                                             RowNames rows = RowNames::lines);

}  // namespace longrun
