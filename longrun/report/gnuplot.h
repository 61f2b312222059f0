#pragma once

#include <string>
#include <vector>

#include "longrun/report/figure.h"

namespace longrun {

/// The axes of figures for print.
struct GnuplotOptions {
  bool log_horizon = false;  ///< logarithmic axis of horizons
  bool log_regret = false;   ///< logarithmic axis of regrets
};

/// Writes DIR/NAME.gp and its data, DIR/data/NAME.*.tsv. `gnuplot NAME.gp`, run in DIR, makes NAME.svg, .pdf and .png:
/// one row of panels per scene, with the reward curves, the regret per step with its 95 % band, and the pulls: of arm 0
/// if there are two arms, else the share of every arm. If known, the impact on the arms follows. Illustrations are side
/// by side.
void write_gnuplot(const Figure& figure, const std::string& directory, const GnuplotOptions& options = {});

/// Runs gnuplot on these figures, several at a time. Returns false if gnuplot is not installed. Throws InputError with
/// gnuplot's message if it fails.
bool draw(const std::vector<std::string>& names, const std::string& directory);

}  // namespace longrun
