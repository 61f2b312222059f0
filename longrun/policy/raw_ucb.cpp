#include "longrun/policy/raw_ucb.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace longrun {

RawUcbRule::RawUcbRule(const Setting& setting, double alpha)
    : alpha_(alpha), sd_(standard_deviation(setting.noise)), windows_(static_cast<std::size_t>(setting.arms)) {}

void RawUcbRule::prepare(const Ledger& ledger) {
  bonus_ = sd_ * std::sqrt(2 * alpha_ * std::log(static_cast<double>(ledger.made() + 1)));
}

double RawUcbRule::index(Arm arm, const Ledger&) const {
  const std::vector<double>& means = windows_[static_cast<std::size_t>(arm)].means();
  double smallest = std::numeric_limits<double>::infinity();
  for (std::size_t scale = 0; scale < means.size(); ++scale) {
    smallest = std::min(smallest, means[scale] + bonus_ * DyadicWindows::error_factor(scale));
  }
  return smallest;
}

RawUcb make_raw_ucb(const Setting& setting, const Parameters& parameters) {
  return {setting, RawUcbRule(setting, parameters.get(kRawUcbAlpha, setting))};
}

}  // namespace longrun
