#include "longrun/policy/ucb.h"

#include <algorithm>

namespace longrun {

DiscountedUcbRule::DiscountedUcbRule(const Setting& setting, double discount, double exploration)
    : discount_(discount),
      exploration_(exploration),
      weights_(static_cast<std::size_t>(setting.arms)),
      sums_(static_cast<std::size_t>(setting.arms)) {}

SlidingWindowUcbRule::SlidingWindowUcbRule(const Setting& setting, Pulls window, double exploration)
    : window_(static_cast<std::size_t>(std::clamp<Pulls>(window, 1, setting.horizon))),
      exploration_(exploration),
      counts_(static_cast<std::size_t>(setting.arms)),
      sums_(static_cast<std::size_t>(setting.arms)) {}

void SlidingWindowUcbRule::recompute_sums() {
  std::fill(sums_.begin(), sums_.end(), 0.0);
  for (const Entry& entry : window_) sums_[static_cast<std::size_t>(entry.arm)] += entry.reward;
}

DiscountedUcbRule discounted_ucb_rule(const Setting& setting, const Parameters& parameters) {
  return {setting, parameters.get(kUcbDiscount, setting), parameters.get(kUcbExploration, setting)};
}

DiscountedUcbRule ucb_rule(const Setting& setting, const Parameters& parameters) {
  return {setting, 1, parameters.get(kUcbExploration, setting)};
}

SlidingWindowUcbRule sliding_window_ucb_rule(const Setting& setting, const Parameters& parameters) {
  return {setting, static_cast<Pulls>(parameters.get(kUcbWindow, setting)), parameters.get(kUcbExploration, setting)};
}

}  // namespace longrun
