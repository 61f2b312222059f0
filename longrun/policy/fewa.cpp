#include "longrun/policy/fewa.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace longrun {

Fewa::Fewa(const Setting& setting, double alpha)
    : alpha_(alpha),
      sd_(standard_deviation(setting.noise)),
      ledger_(setting),
      windows_(static_cast<std::size_t>(setting.arms)) {
  candidates_.reserve(windows_.size());
}

void Fewa::observe(Arm arm, double reward) {
  ledger_.add(arm);
  windows_[static_cast<std::size_t>(arm)].add(reward);
}

Arm Fewa::choose() {
  if (const auto arm = ledger_.first_lacking(1)) return *arm;
  if (ledger_.made() == 0) return ledger_.least_tried();
  candidates_.clear();
  for (Arm arm = 0; arm < ledger_.arms(); ++arm) {
    if (ledger_.pulls(arm) > 0) candidates_.push_back(arm);
  }
  return filter_candidates();
}

Arm Fewa::choose(const Restriction& restriction) {
  if (const auto arm = ledger_.first_lacking(1, restriction.arms)) return *arm;
  candidates_.clear();
  for (const Arm arm : restriction.arms) {
    if (ledger_.pulls(arm) > 0) candidates_.push_back(arm);
  }
  return candidates_.empty() ? ledger_.least_tried(restriction.arms) : filter_candidates();
}

Arm Fewa::filter_candidates() {
  // In means, not sums: sqrt(8 h alpha sd^2 ln t) / h.
  const double distance = sd_ * std::sqrt(8 * alpha_ * std::log(static_cast<double>(ledger_.made() + 1)));
  for (std::size_t scale = 0; candidates_.size() > 1; ++scale) {
    double largest = -std::numeric_limits<double>::infinity();
    for (const Arm arm : candidates_) {
      if (windows(arm).scales() <= scale) return arm;
      largest = std::max(largest, windows(arm).mean(scale));
    }
    const double lowest = largest - distance * DyadicWindows::error_factor(scale);
    std::erase_if(candidates_, [&](Arm arm) { return windows(arm).mean(scale) < lowest; });
  }
  return candidates_.front();  // the last candidate: longer windows cannot change it
}

Fewa make_fewa(const Setting& setting, const Parameters& parameters) {
  return {setting, parameters.get(kFewaAlpha, setting)};
}

}  // namespace longrun
