#include "longrun/policy/ucb.h"

#include <algorithm>

#include "longrun/base/logarithms.h"

namespace longrun {

void BonusesAhead::start(double x) {
  for (std::size_t k = 0; k < kCount; ++k) {
    ahead_ = k == 0 ? x : ahead_ * discount_ + 1;
    upcoming_[k] = std::max(1.0, ahead_);  // below 1 only for an x of 0
  }
  compute();
}

void BonusesAhead::compute() {
  bonuses_ = upcoming_;
  take_logarithms(bonuses_);
  for (double& bonus : bonuses_) bonus *= exploration_;
  now_ = 0;
}

DiscountedUcbRule::DiscountedUcbRule(const Setting& setting, double discount, double exploration)
    : discount_(discount),
      weights_(static_cast<std::size_t>(setting.arms)),
      sums_(static_cast<std::size_t>(setting.arms)),
      bonuses_(discount, exploration) {}

SlidingWindowUcbRule::SlidingWindowUcbRule(const Setting& setting, Pulls window, double exploration)
    : window_(static_cast<std::size_t>(std::clamp<Pulls>(window, 1, setting.horizon))),
      counts_(static_cast<std::size_t>(setting.arms)),
      sums_(static_cast<std::size_t>(setting.arms)),
      bonuses_(1, exploration) {}

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
