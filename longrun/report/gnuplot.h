#pragma once

#include <string>
#include <vector>

#include "longrun/report/figure.h"

namespace longrun {

struct GnuplotOptions {
  bool log_horizon = false;  ///< logarithmic axis of horizons
  bool log_regret = false;   ///< logarithmic axis of regrets
};

/// Writes DIR/NAME.gp and what it draws from, DIR/data/NAME.*.tsv. `gnuplot NAME.gp`, in DIR, makes NAME.svg, .pdf and
/// .png: one row of panels per scene with reward curves, regret per step with its 95 % band and, for two arms, pulls of
/// arm 1, for more arms, each policy's share of pulls per arm and, where known, their impact. Illustrations stand side
/// by side.
void write_gnuplot(const Figure& figure, const std::string& directory, const GnuplotOptions& options = {});

/// Runs gnuplot on these figures, several at a time. False where there is no gnuplot. Throws InputError with its
/// complaint where it fails.
bool draw(const std::vector<std::string>& names, const std::string& directory);

}  // namespace longrun
