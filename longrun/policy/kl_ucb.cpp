#include "longrun/policy/kl_ucb.h"

#include <algorithm>
#include <cmath>

namespace longrun {

double kl_exploration(double t, double c) {
  const double log_t = std::log(t);
  if (c == 0 || log_t <= 0) return std::max(0.0, log_t);
  return std::max(0.0, log_t + c * std::log(log_t));
}

KlUcb make_kl_ucb(const Setting& setting, const Parameters& parameters) {
  return {setting, KlUcbRule(setting, parameters.get(kKlUcbC, setting))};
}

}  // namespace longrun
