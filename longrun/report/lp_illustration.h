#pragma once

#include <string>
#include <vector>

#include "longrun/experiment/config.h"
#include "longrun/solve/optimistic_future.h"

namespace longrun {

/// A few noisy observations of an arm and what the linear program (*) makes of them (the paper's Figure 2).
struct LpIllustration {
  std::string title;
  std::vector<double> means;         ///< of pulls 1, 2, ...: the observed ones, then the future
  std::vector<double> observations;  ///< of the first pulls
  std::vector<Band> bands;           ///< around them
  std::vector<double> bound;         ///< the curve that attains (*); where none exists, empty
  std::vector<double> future_bound;  ///< what SPO takes each future reward to be at most
};

/// Asks the real solver. `number` is the illustration's in the config.
LpIllustration illustrate(const Config& config, std::size_t number);

}  // namespace longrun
