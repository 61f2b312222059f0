#pragma once

#include <array>
#include <string>
#include <vector>

#include "longrun/base/timing.h"
#include "longrun/report/figure.h"

namespace longrun {

/// The axes of figures for print.
struct GnuplotOptions {
  bool log_horizon = false;  ///< logarithmic axis of horizons
  bool log_regret = false;   ///< logarithmic axis of regrets
};

/// Writes DIR/NAME.gp and its data, DIR/data/NAME.*.tsv. `gnuplot NAME.gp`, run in DIR, makes NAME.svg, .pdf and .png.
/// They have one row of panels per scene: the reward curves; the regret per step with its 95 % band; the pulls of the
/// first arm if there are two arms, otherwise the share of every arm; and, if known, the impact on the arms.
/// Above them are the constraints and, if the experiment is not complete, the number of recorded runs. Illustrations
/// are side by side.
void write_gnuplot(const Figure& figure, const std::string& directory, const GnuplotOptions& options = {});

/// The kinds of pictures that a script makes.
inline constexpr std::array<const char*, 3> kPictureKinds{"svg", "pdf", "png"};

/// Runs gnuplot on the script DIR/NAME.gp, which makes DIR/NAME.KIND. Returns false if gnuplot is not installed. Throws
/// InputError with gnuplot's message if it fails, and SystemError if it cannot be started. `timing` may be null.
bool draw(const std::string& name, const std::string& directory, const std::string& kind, Timing* timing = nullptr);
/// Draws all kinds of these names, several pictures at a time.
bool draw(const std::vector<std::string>& names, const std::string& directory, Timing* timing = nullptr);

}  // namespace longrun
