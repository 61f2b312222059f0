#include "longrun/policy/statistics/growth_shapes.h"

#include <algorithm>
#include <cmath>

namespace longrun {
namespace {

/// Returns x^p for p = 3/4, 1/2, 1/4, -1/10, -1/4, -1/2, -1.
std::array<double, 7> powers(double x) {
  const double half = std::sqrt(x);
  const double quarter = std::sqrt(half);
  return {half * quarter, half, quarter, std::exp(-0.1 * std::log(x)), 1 / quarter, 1 / half, 1 / x};
}

/// Returns the integrals of those powers, up to a constant.
std::array<double, 7> integrals(double x) {
  const double half = std::sqrt(x);
  const double quarter = std::sqrt(half);
  const double log = std::log(x);
  return {x * half * quarter / 1.75,
          x * half / 1.5,
          x * quarter / 1.25,
          x * std::exp(-0.1 * log) / 0.9,
          half * quarter / 0.75,
          half / 0.5,
          log};
}

constexpr std::size_t kUnbounded = 3;  // number of powers that never level off; they come first

}  // namespace

GrowthShapes::GrowthShapes(Pulls horizon) {
  const double end = std::max(2.0, static_cast<double>(horizon));
  while (longest_scale_ < end && count() < kMost) {
    longest_scale_ *= kRatio;
    ++exponentials_;
  }
  double scale = kForesightTuning.shortest_growth_scale;
  for (std::size_t k = 0; k < exponentials_; ++k, scale *= kRatio) {
    decay_[k] = -std::expm1(-1 / scale);
    at_end_[k] = -std::expm1(-end / scale);
  }
  for (std::size_t k = 0; k < kPowers; ++k) at_end_[exponentials_ + k] = k < kUnbounded ? powers(end)[k] - 1 : 1;
}

GrowthShapes::Values GrowthShapes::at(Pulls pull) const {
  const auto m = static_cast<double>(pull);
  Values phi{};
  double decayed = std::exp(-(m - 1) / longest_scale_);  // to the fourth power for the next shorter scale
  for (std::size_t k = exponentials_; k-- > 0; decayed *= decayed, decayed *= decayed) {
    phi[k] = (1 - decayed) / at_end_[k];
  }
  const auto power = powers(m);
  for (std::size_t k = 0; k < kPowers; ++k) {
    const double growth = k < kUnbounded ? power[k] - 1 : 1 - power[k];
    phi[exponentials_ + k] = growth / at_end_[exponentials_ + k];
  }
  return phi;
}

GrowthShapes::Values GrowthShapes::future_mean(Pulls pulls, Pulls remaining) const {
  const auto n = static_cast<double>(pulls);
  const auto count = static_cast<double>(remaining);
  Values phi{};
  double before = std::exp(-n / longest_scale_);      // decay up to now
  double during = std::exp(-count / longest_scale_);  // decay over the future
  for (std::size_t k = exponentials_; k-- > 0;) {
    phi[k] = (1 - before * (1 - during) / (decay_[k] * count)) / at_end_[k];
    before *= before, before *= before;
    during *= during, during *= during;
  }
  const auto from = integrals(n + 0.5);
  const auto to = integrals(n + count + 0.5);
  for (std::size_t k = 0; k < kPowers; ++k) {
    const double mean = (to[k] - from[k]) / count;
    phi[exponentials_ + k] = (k < kUnbounded ? mean - 1 : 1 - mean) / at_end_[exponentials_ + k];
  }
  return phi;
}

}  // namespace longrun
