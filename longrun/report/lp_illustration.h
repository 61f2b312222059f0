#pragma once

#include <string>
#include <vector>

#include "longrun/experiment/config.h"
#include "longrun/solve/optimistic_future.h"

namespace longrun {

/// A few noisy observations of an arm and the upper bound that the linear program (*) computes from them (Figure 2 of
/// the paper).
struct LpIllustration {
  std::string title;
  std::vector<double> means;         ///< mean rewards of pulls 1, 2, ...: the observed pulls, then future ones
  std::vector<double> observations;  ///< rewards of the observed pulls
  std::vector<Band> bands;           ///< confidence intervals of the observations
  std::vector<double> bound;         ///< the curve that attains (*); empty if no curve is feasible
  std::vector<double> future_bound;  ///< upper bound of each future reward, as SPO uses it
};

/// Computes illustration `number` of the config with the solver that policies use.
LpIllustration illustrate(const Config& config, std::size_t number);

}  // namespace longrun
