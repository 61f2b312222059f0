#pragma once

#include <algorithm>

namespace longrun {

/// Returns the policy regret, optimum - earned. Both are sums of many rewards, so a result slightly below 0, within
/// their rounding error, is returned as 0.
inline double policy_regret(double optimum, double earned) {
  const double regret = optimum - earned;
  return regret < 0 && regret > -1e-9 * std::max(1.0, optimum) ? 0 : regret;
}

}  // namespace longrun
