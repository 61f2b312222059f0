#pragma once

#include <string>
#include <vector>

#include "longrun/report/figure.h"

namespace longrun {

/// One self-contained HTML page with every figure as interactive charts: no other file, no network. `linked` says
/// whether figures/NAME.svg, .pdf, .png, .gp and .toml stand beside it; NAME.gp and NAME.toml always do.
std::string make_page(const std::vector<Figure>& figures, bool linked);

/// What was measured, in a sentence: the best policies at the longest horizon.
std::string measured(const Figure& figure);

}  // namespace longrun
