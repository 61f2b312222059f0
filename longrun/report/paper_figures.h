#pragma once

#include <string>
#include <vector>

#include "longrun/experiment/config.h"

namespace longrun {

/// Returns the names of the paper's figures, in the order of the paper: "figure_1", "inc_1", ...
std::vector<std::string> paper_figure_names();

/// Returns the experiments of these figures, or of all figures if `names` is empty, in the order of the paper. Throws
/// InputError for an unknown name.
std::vector<Config> paper_figures(const std::vector<std::string>& names);

/// Returns a shorter form of an experiment, for a first look: a fifth of the horizons, which include the longest, and a
/// sixth of the seeds.
Config shortened_experiment(Config config);

}  // namespace longrun
