#pragma once

#include <string>
#include <vector>

#include "longrun/model/constraints.h"
#include "longrun/model/history.h"

namespace longrun {

/// Returns warnings about the rounds of a history, if the constraints mention rounds:
///
/// - the rounds of the file are not numbered 1, 2, 3, ..., as those of the constraints are;
/// - rounds of the file have more units than the constraints grant, or fewer pulls where every pull costs one unit; it
///   names the first. The last round may be incomplete;
/// - an arm is pulled in a round in which it is unavailable by the constraints.
///
/// The first two need a column of rounds.
std::vector<std::string> round_warnings(const std::string& path, const History& history,
                                        const Constraints& constraints);

}  // namespace longrun
