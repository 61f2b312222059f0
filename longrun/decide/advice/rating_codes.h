#pragma once

#include <string>
#include <vector>

#include "longrun/model/history.h"

namespace longrun {

/// Returns warnings for rewards that are impossible among whole numbers such as ratings from 1 to 5: numbers such as
/// -1, 9 or 99 that occur at least three times and are three times as far from all others as these are from each other,
/// as codes for a missing answer are; and a few rewards that are no whole numbers. Empty if rewards are yes or no, or
/// not whole numbers.
std::vector<std::string> rating_cautions(const History& history);

}  // namespace longrun
