#pragma once

#include <string>
#include <vector>

#include "longrun/report/figure.h"

namespace longrun {

/// Returns one self-contained HTML page with every figure as interactive charts. It needs no other file and no network.
/// It links to figures/NAME.gp and .toml and, if `linked`, to figures/NAME.svg, .pdf and .png.
std::string make_page(const std::vector<Figure>& figures, bool linked);

/// Returns a sentence about the measurements: the two best policies at the longest horizon of each scene, or the upper
/// bounds of illustrations.
std::string measured(const Figure& figure);

}  // namespace longrun
