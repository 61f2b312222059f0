#pragma once

#include <string>

#include "longrun/model/history.h"

namespace longrun {

/// Returns a caution if the newest rewards of at least two arms are exactly 0 although 0 is so rare among the rewards
/// before them that chance is no reason: 0 may stand for rewards that are not known yet. If only some of the newest
/// rewards are 0, the rate of zeros must rise in a step: more than a line through the rates of each arm before does, by
/// a likelihood ratio that is as large in at most 1 of 100 logs without such a step, for any number of newest rows up
/// to a third of all. Else returns an empty text. O(n) for each arm.
std::string newest_zeros_caution(const History& history);

}  // namespace longrun
