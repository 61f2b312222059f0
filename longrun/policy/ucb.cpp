#include "longrun/policy/ucb.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace longrun {

DiscountedUcbRule::DiscountedUcbRule(const Setting& setting, double discount, double exploration)
    : discount_(discount),
      exploration_(exploration),
      weights_(static_cast<std::size_t>(setting.arms)),
      sums_(static_cast<std::size_t>(setting.arms)) {}

void DiscountedUcbRule::observe(Arm arm, double reward, const Ledger&) {
  if (discount_ != 1) {
    for (double& weight : weights_) weight *= discount_;
    for (double& sum : sums_) sum *= discount_;
    total_weight_ *= discount_;
  }
  const auto i = static_cast<std::size_t>(arm);
  weights_[i] += 1;
  sums_[i] += reward;
  total_weight_ += 1;
}

void DiscountedUcbRule::prepare(const Ledger&) {
  // The total is at least 1 after any reward, and 1 after every reward with a discount of 0.
  bonus_ = exploration_ * std::log(std::max(1.0, total_weight_));
}

double DiscountedUcbRule::index(Arm arm, const Ledger&) const {
  const auto i = static_cast<std::size_t>(arm);
  // The weight of an arm not pulled for very long underflows to 0; its bonus is then larger than any other.
  if (weights_[i] <= 0) return std::numeric_limits<double>::infinity();
  return sums_[i] / weights_[i] + std::sqrt(bonus_ / weights_[i]);
}

SlidingWindowUcbRule::SlidingWindowUcbRule(const Setting& setting, Pulls window, double exploration)
    : window_(static_cast<std::size_t>(std::clamp<Pulls>(window, 1, setting.horizon))),
      exploration_(exploration),
      counts_(static_cast<std::size_t>(setting.arms)),
      sums_(static_cast<std::size_t>(setting.arms)) {}

void SlidingWindowUcbRule::observe(Arm arm, double reward, const Ledger&) {
  if (filled_ == window_.size()) {
    const Entry& oldest = window_[next_];
    counts_[static_cast<std::size_t>(oldest.arm)] -= 1;
    sums_[static_cast<std::size_t>(oldest.arm)] -= oldest.reward;
  } else {
    ++filled_;
  }
  window_[next_] = {reward, arm};
  counts_[static_cast<std::size_t>(arm)] += 1;
  sums_[static_cast<std::size_t>(arm)] += reward;
  if (++next_ == window_.size()) {
    next_ = 0;
    recompute_sums();
  }
}

/// Adds up the window, once per cycle of the ring, so that rounding errors do not accumulate over a long run.
void SlidingWindowUcbRule::recompute_sums() {
  std::fill(sums_.begin(), sums_.end(), 0.0);
  for (const Entry& entry : window_) sums_[static_cast<std::size_t>(entry.arm)] += entry.reward;
}

void SlidingWindowUcbRule::prepare(const Ledger&) { bonus_ = exploration_ * std::log(static_cast<double>(filled_)); }

double SlidingWindowUcbRule::index(Arm arm, const Ledger&) const {
  const auto i = static_cast<std::size_t>(arm);
  if (counts_[i] == 0) return std::numeric_limits<double>::infinity();
  const auto count = static_cast<double>(counts_[i]);
  return sums_[i] / count + std::sqrt(bonus_ / count);
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
