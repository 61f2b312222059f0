#pragma once

#include <string>

#include "longrun/decide/recommendation.h"

namespace longrun {

/// Writes DIR/NAME.gp and what it draws from, DIR/data/NAME.*.tsv, as write_gnuplot() does for figures. A panel per
/// arm, all on the same axes: its rewards, their means with a band of 2 standard errors, and from now to the horizon
/// the bound on its future and what it is worth. Of many arms, those worth most; the arms to pull next always.
void write_recommendation_figure(const Question& question, const Recommendation& answer, const std::string& name,
                                 const std::string& directory);

/// Throws InputError unless the file is to be an .svg, .pdf or .png.
void check_picture_name(const std::string& path);
/// Draws it into this file. Throws InputError where it can't be written or there is no gnuplot.
void draw_recommendation(const Question& question, const Recommendation& answer, const std::string& path);

}  // namespace longrun
