#pragma once

#include <string>

#include "longrun/report/arena/arena.h"

namespace longrun {

/// Writes DIR/NAME.gp and its data, DIR/data/NAME.tsv, for gnuplot, as write_gnuplot() does: overall G and M with their
/// intervals, and below them a coloured table of G by family. `scores` must have rows.
void write_arena_figure(const ArenaScores& scores, const std::string& name, const std::string& directory);

}  // namespace longrun
