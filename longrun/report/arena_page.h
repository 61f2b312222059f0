#pragma once

#include <string>
#include <vector>

#include "longrun/report/arena.h"

namespace longrun {

/// One self-contained HTML page with the scores of all views: overall as dots with intervals, by family as a coloured
/// table. `linked` says whether arena.svg, .pdf and .png stand beside it; arena.gp and arena.md always do.
std::string make_arena_page(const std::vector<ArenaScores>& views, bool linked);

}  // namespace longrun
