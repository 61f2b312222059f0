#pragma once

#include <string>

#include "longrun/simulate/plan/plan.h"

namespace longrun {

/// Writes DIR/NAME.gp and its data, DIR/data/NAME.*.tsv, for gnuplot, as write_gnuplot() does. The left panel has the
/// pulls of each arm until the end, the right one the total of each course: means with intervals of 80 %. At most 24
/// arms are shown, those with the most pulls.
void write_plan_figure(const PlanQuestion& asked, const Plan& plan, const std::string& name,
                       const std::string& directory);

/// Draws the figure into this file (check_picture_path()). Throws InputError if gnuplot is not installed, and
/// SystemError if the file or a temporary folder cannot be written.
void draw_plan(const PlanQuestion& asked, const Plan& plan, const std::string& path);

}  // namespace longrun
