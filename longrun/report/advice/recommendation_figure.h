#pragma once

#include <string>

#include "longrun/decide/advice/recommendation.h"
#include "longrun/report/picture.h"

namespace longrun {

/// Writes DIR/NAME.gp and its data, DIR/data/NAME.*.tsv, for gnuplot, as write_gnuplot() does. There is one panel per
/// arm, all on the same axes: the arm's rewards, their means with a band of 2 standard errors, and, from now to the
/// horizon, the expected rewards and the upper bound. The arms of arms_with_panel() have a panel (arm_panels.h).
void write_recommendation_figure(const Question& question, const Recommendation& answer, const std::string& name,
                                 const std::string& directory);

/// Draws the figure into this file, as draw_picture() does.
void draw_recommendation(const Question& question, const Recommendation& answer, const std::string& path);

}  // namespace longrun
