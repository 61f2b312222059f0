#pragma once

#include <string>

#include "longrun/model/history.h"

namespace longrun {

/// Returns a caution if the newest rewards of at least two arms are exactly 0 although 0 is so rare among the rewards
/// before them that chance is no reason: 0 may stand for rewards that are not known yet. Else an empty text. O(n).
std::string newest_zeros_caution(const History& history);

}  // namespace longrun
