#pragma once

#include <string>
#include <vector>

#include "longrun/report/arena/arena.h"

namespace longrun {

/// Returns the scores of all views as one JSON object, with a line break at its end. Scores are not rounded.
std::string arena_json(const std::vector<ArenaScores>& views);

}  // namespace longrun
