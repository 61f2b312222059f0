#pragma once

#include <string>

#include "longrun/report/arena.h"

namespace longrun {

/// Writes DIR/NAME.gp and what it draws from, DIR/data/NAME.tsv, as write_gnuplot() does for figures: overall G and M
/// with their intervals, and below them G by family, coloured. There must be rows.
void write_arena_figure(const ArenaScores& scores, const std::string& name, const std::string& directory);

}  // namespace longrun
