#pragma once

#include <string>
#include <vector>

#include "longrun/report/arena/arena.h"

namespace longrun {

/// Returns one self-contained HTML page with the scores of all views: overall scores as dots with intervals, scores by
/// family as a coloured table. It links to arena.gp and arena.md and, if `linked`, to arena.svg, .pdf and .png.
std::string make_arena_page(const std::vector<ArenaScores>& views, bool linked);

}  // namespace longrun
