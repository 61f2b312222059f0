#pragma once

#include <string>
#include <vector>

#include "longrun/base/timing.h"
#include "longrun/experiment/config.h"
#include "longrun/report/arena/arena.h"

namespace longrun {

/// The files of write_arena_report().
struct ArenaReport {
  std::vector<ArenaScores> views;  ///< Arena::views()
  bool drawn = false;              ///< false if gnuplot is not installed: there are scripts, but no pictures
  std::string table;               ///< path of arena.md
  std::string page;                ///< path of arena.html
};

/// The options of write_arena_report().
struct ArenaReportOptions {
  int threads = 0;           ///< 0: one per core
  Timing* timing = nullptr;  ///< if set, gets the times of all parts
};

/// Scores the recorded arena experiments of a folder, and writes the page, the table and the figure into it.
/// Throws InputError, and writes nothing, if no family is complete.
ArenaReport write_arena_report(const std::vector<Config>& configs, const std::string& directory,
                               const ArenaReportOptions& options = {});

}  // namespace longrun
