#include "longrun/policy/statistics/kl_bounds.h"

#include <algorithm>

#include "longrun/policy/statistics/bernoulli_divergence.h"

namespace longrun {

void KlBounds::add(Arm arm, double reward) {
  Sample& sample = samples_[static_cast<std::size_t>(arm)];
  ++sample.rewards;
  sample.sum += std::clamp(reward, 0.0, 1.0);
  tangents_[static_cast<std::size_t>(arm)] = {};
}

void KlBounds::clear(Arm arm) {
  samples_[static_cast<std::size_t>(arm)] = {};
  tangents_[static_cast<std::size_t>(arm)] = {};
}

void KlBounds::add_arm() {
  samples_.emplace_back();
  tangents_.emplace_back();
}

double KlBounds::bound(Arm arm, double exploration) {
  const Sample& sample = samples_[static_cast<std::size_t>(arm)];
  const auto rewards = static_cast<double>(sample.rewards);
  const double mean = sample.sum / rewards;
  const double rest = rest_of_largest_mean(mean, exploration / rewards);
  const double above_mean = 1 - mean - rest;
  if (above_mean > 0) {
    constexpr double kRelativeError = 1e-9;  // far above the relative error of the rest and of the tangent
    tangents_[static_cast<std::size_t>(arm)] = {.exploration = exploration,
                                                .bound = -(1 - kRelativeError) * rest,
                                                .slope = (1 - rest) * rest / (rewards * above_mean)};
  }
  return -rest;
}

}  // namespace longrun
