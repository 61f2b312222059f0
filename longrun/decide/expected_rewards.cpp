#include "longrun/decide/expected_rewards.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace longrun {
namespace {

constexpr double kAgreementErrors = 1.7;  // within which the means of runs agree

}  // namespace

ExpectedRewards::ExpectedRewards(Arm arms, std::optional<double> sd)
    : sd_(sd.value_or(0)), arms_(static_cast<std::size_t>(arms)) {
  if (sd) return;
  noise_.emplace(arms);
  sd_ = noise_->sd();
}

void ExpectedRewards::add(Arm arm, double reward) {
  State& state = arms_[static_cast<std::size_t>(arm)];
  if (state.windows.count() == 0) {
    ++known_;
  } else {
    state.step = reward - state.last;
  }
  state.last = reward;
  state.windows.add(reward);
  ++rewards_;
  const auto count = static_cast<double>(rewards_);
  mean_ += reward / count - mean_ / count;  // not their difference, which could overflow
  if (!noise_) return;
  noise_->add(arm, reward);
  sd_ = noise_->sd();
}

void ExpectedRewards::add_arm() {
  arms_.emplace_back();
  if (noise_) noise_->add_arm();
}

double ExpectedRewards::of(Arm arm, Pulls ahead) const {
  const State& state = arms_[static_cast<std::size_t>(arm)];
  if (state.windows.count() == 0) return mean_;
  if (sd_ > 0) return recent_mean(state.windows);
  if (state.step <= 0) return state.last;
  return std::max(state.last, std::min(1.0, state.last + static_cast<double>(ahead) * state.step));
}

double ExpectedRewards::recent_mean(const DyadicWindows& windows) const {
  double lower = -std::numeric_limits<double>::infinity();  // bounds that all windows so far agree on
  double upper = std::numeric_limits<double>::infinity();
  double mean = windows.mean(0);
  double newer = 0;  // rewards after the window of `scale`: those of the smaller windows that end one after the other
  double newer_sum = 0;
  for (std::size_t scale = 0; scale < windows.scales(); ++scale) {
    const double size = std::ldexp(1.0, static_cast<int>(scale));
    const double run = (newer_sum + size * windows.mean(scale)) / (newer + size);
    const double error = kAgreementErrors * sd_ / std::sqrt(newer + size);
    lower = std::max(lower, run - error);
    upper = std::min(upper, run + error);
    if (lower > upper) break;
    mean = run;
    if ((windows.count() >> scale) % 2 == 0) continue;
    newer += size;
    newer_sum += size * windows.mean(scale);
  }
  return mean;
}

}  // namespace longrun
