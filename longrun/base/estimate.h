#pragma once

#include <span>

namespace longrun {

/// A mean over seeds, and the 95 % interval around it (Student's t).
struct Estimate {
  double mean = 0;
  double low = 0;
  double high = 0;
};

/// From one value per seed. One value alone, or values all alike, leave no room for doubt: an interval of width 0.
Estimate estimate(std::span<const double> values);

}  // namespace longrun
