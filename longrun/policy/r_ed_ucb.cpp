#include "longrun/policy/r_ed_ucb.h"

#include <algorithm>
#include <cmath>

namespace longrun {

REdUcbRule::REdUcbRule(const Setting& setting, double eps)
    : eps_(eps),
      sd_(standard_deviation(setting.noise)),
      initial_pulls_(static_cast<Pulls>(1 / eps)),
      recent_(static_cast<std::size_t>(setting.arms)),
      forecasts_(static_cast<std::size_t>(setting.arms)) {
  while (window_of(initial_pulls_) == 0) ++initial_pulls_;  // 1/eps was rounded down
}

void REdUcbRule::observe(Arm arm, double reward, const Ledger& ledger) {
  Recent& recent = recent_[static_cast<std::size_t>(arm)];
  const Pulls rewards = ledger.pulls(arm);
  if (rewards == 1) recent.first = reward;
  recent.reserve(rewards);
  recent.at(rewards) = reward - recent.first;
  window_of(rewards) == recent.window ? recent.slide(rewards) : recent.widen(rewards);
  if (recent.window == 0) return;
  // Once per cycle of the ring, so that rounding errors do not accumulate over a long run.
  if (static_cast<std::size_t>(rewards) % recent.ring.size() == 0) recent.recompute_sums(rewards);
  const auto window = static_cast<double>(recent.window);
  forecasts_[static_cast<std::size_t>(arm)] = {
      .level = recent.first + recent.sum / window + recent.momentum / (window * window),
      .slope = recent.growth / (window * window),
      .spread = 1 / (window * std::sqrt(window)),
      .rewards = static_cast<double>(rewards),
      .window = window};
}

void REdUcbRule::prepare(const Ledger& ledger) {
  time_ = static_cast<double>(ledger.made() + 1);
  bonus_ = sd_ * std::sqrt(10 * 4 * std::log(time_));  // t^4 itself could overflow
}

/// Enlarges the ring if needed, before reward number `rewards` is written: the ring must hold the 2h+1 rewards before
/// it and, after it, as many for an h that may be larger by 1.
void REdUcbRule::Recent::reserve(Pulls rewards) {
  constexpr std::size_t kSmallestRing = 8;
  const std::size_t size = ring.size();
  if (size >= static_cast<std::size_t>(2 * window + 4)) return;
  std::vector<double> larger(std::max(kSmallestRing, 2 * size));
  std::swap(ring, larger);
  for (Pulls pull = std::max<Pulls>(1, rewards - static_cast<Pulls>(size)); pull < rewards; ++pull) {
    at(pull) = larger[static_cast<std::size_t>(pull) & (size - 1)];
  }
}

/// Adds the newest reward to the sums if h does not change: both windows of h move by one.
void REdUcbRule::Recent::slide(Pulls rewards) {
  const double newest = at(rewards);
  const double middle = at(rewards - window);      // moves from the later window to the earlier
  const double oldest = at(rewards - 2 * window);  // leaves the earlier window
  momentum += growth - static_cast<double>(window) * (middle - oldest);
  growth += (newest - middle) - (middle - oldest);
  sum += newest - middle;
}

/// Adds the newest reward to the sums if h grows by 1: the later window keeps its oldest reward, the earlier one is
/// extended by the reward before it.
void REdUcbRule::Recent::widen(Pulls rewards) {
  const double newest = at(rewards);
  const double oldest = at(rewards - 1 - 2 * window);
  momentum += sum - static_cast<double>(window) * oldest;
  growth += newest - oldest;
  sum += newest;
  ++window;
}

void REdUcbRule::Recent::recompute_sums(Pulls rewards) {
  sum = growth = momentum = 0;
  for (Pulls age = 0; age < window; ++age) {
    const double later = at(rewards - age);
    const double difference = later - at(rewards - age - window);
    sum += later;
    growth += difference;
    momentum += static_cast<double>(age) * difference;
  }
}

REdUcb make_r_ed_ucb(const Setting& setting, const Parameters& parameters) {
  return {setting, REdUcbRule(setting, parameters.get(kREdUcbEps, setting))};
}

}  // namespace longrun
