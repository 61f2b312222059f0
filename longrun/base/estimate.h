#pragma once

#include <span>

namespace longrun {

/// A mean over seeds, and the 95 % interval around it (Student's t).
struct Estimate {
  double mean = 0;
  double low = 0;
  double high = 0;
};

/// Returns the estimate from one value per seed, at least one. A single value, or values that are all equal, give an
/// interval of width 0.
Estimate estimate(std::span<const double> values);

}  // namespace longrun
