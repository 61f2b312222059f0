#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "longrun/policy/index_policy.h"
#include "longrun/policy/parameters.h"

namespace longrun {

/// The index rule of discounted UCB (Garivier & Moulines 2011): the mean of the arm's rewards, each with the weight
/// discount^age, where age counts the later pulls of all arms, plus sqrt(exploration * ln(total weight) / weight of the
/// arm). Discount 1 is plain UCB.
class DiscountedUcbRule {
 public:
  static constexpr bool kIndexMayGrow = true;

  DiscountedUcbRule(const Setting& setting, double discount, double exploration);

  Pulls initial_pulls() const { return 1; }
  void observe(Arm arm, double reward, const Ledger&) {
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
  void prepare(const Ledger&) {
    // The total is at least 1 after any reward, and 1 after every reward with a discount of 0.
    bonus_ = exploration_ * std::log(std::max(1.0, total_weight_));
  }
  double index(Arm arm, const Ledger&) const {
    const auto i = static_cast<std::size_t>(arm);
    // The weight of an arm not pulled for very long underflows to 0; its bonus is then larger than any other.
    if (weights_[i] <= 0) return std::numeric_limits<double>::infinity();
    return sums_[i] / weights_[i] + std::sqrt(bonus_ / weights_[i]);
  }

  void add_arm() {
    weights_.push_back(0);
    sums_.push_back(0);
  }

  template <class Visit>
  decltype(auto) visit_fields(Visit&& visit) {
    return visit(weights_, sums_, total_weight_);
  }

 private:
  double discount_;
  double exploration_;
  std::vector<double> weights_;  // by arm
  std::vector<double> sums_;     // by arm, of weighted rewards
  double total_weight_ = 0;      // sum of weights_
  double bonus_ = 0;             // exploration * ln(total weight), as of the last prepare()
};

/// The index rule of sliding-window UCB (Garivier & Moulines 2011): the mean of the arm's rewards in the window of the
/// last `window` pulls of all arms, plus sqrt(exploration * ln(min(t, window)) / pulls of the arm in the window). An
/// arm without a pull in the window is pulled next.
class SlidingWindowUcbRule {
 public:
  static constexpr bool kIndexMayGrow = true;

  SlidingWindowUcbRule(const Setting& setting, Pulls window, double exploration);

  Pulls initial_pulls() const { return 1; }
  void observe(Arm arm, double reward, const Ledger&) {
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
  void prepare(const Ledger&) { bonus_ = exploration_ * std::log(static_cast<double>(filled_)); }
  double index(Arm arm, const Ledger&) const {
    const auto i = static_cast<std::size_t>(arm);
    if (counts_[i] == 0) return std::numeric_limits<double>::infinity();
    const auto count = static_cast<double>(counts_[i]);
    return sums_[i] / count + std::sqrt(bonus_ / count);
  }

  void add_arm() {
    counts_.push_back(0);
    sums_.push_back(0);
  }

  template <class Visit>
  decltype(auto) visit_fields(Visit&& visit) {
    return visit(window_, filled_, next_, counts_, sums_);
  }

 private:
  /// Adds up the window, once per cycle of the ring, so that rounding errors do not accumulate over a long run.
  void recompute_sums();

  struct Entry {
    double reward;
    Arm arm;

    template <class Visit>
    decltype(auto) visit_fields(Visit&& visit) {
      return visit(reward, arm);
    }
  };
  std::vector<Entry> window_;  // a ring buffer
  std::size_t filled_ = 0;     // entries in use
  std::size_t next_ = 0;       // where the next entry goes: the oldest entry once the ring is full
  double exploration_;
  std::vector<std::int64_t> counts_;  // by arm, entries in the window
  std::vector<double> sums_;          // by arm, of the rewards in the window
  double bonus_ = 0;                  // exploration * ln(filled_), as of the last prepare()
};

using DiscountedUcb = IndexPolicy<DiscountedUcbRule>;
using SlidingWindowUcb = IndexPolicy<SlidingWindowUcbRule>;

inline constexpr Parameter kUcbExploration{.name = "exploration",
                                           .meaning = "weight of the exploration bonus",
                                           .default_value = 0.6,
                                           .minimum = 0,
                                           .maximum = 1e9};
inline constexpr Parameter kUcbDiscount{
    .name = "discount",
    .meaning = "factor that multiplies the weight of a reward at every later pull",
    .default_value = DefaultFormula{"1 - 1/(4 sqrt(horizon))",
                                    [](const Setting& setting, const Parameters&) {
                                      return 1 - 1 / (4 * std::sqrt(static_cast<double>(setting.horizon)));
                                    }},
    .minimum = 0,
    .maximum = 1};
inline constexpr Parameter kUcbWindow{
    .name = "window",
    .meaning = "number of latest pulls, of all arms, whose rewards count",
    .default_value = DefaultFormula{"max(1, floor(4 sqrt(horizon ln horizon)))",
                                    [](const Setting& setting, const Parameters&) {
                                      const auto horizon = static_cast<double>(setting.horizon);
                                      return std::max(1.0, std::floor(4 * std::sqrt(horizon * std::log(horizon))));
                                    }},
    .minimum = 1,
    .maximum = 1e9,
    .whole = true};
inline constexpr Parameter kUcbParameters[] = {kUcbExploration};
inline constexpr Parameter kDiscountedUcbParameters[] = {kUcbDiscount, kUcbExploration};
inline constexpr Parameter kSlidingWindowUcbParameters[] = {kUcbWindow, kUcbExploration};

DiscountedUcbRule discounted_ucb_rule(const Setting& setting, const Parameters& parameters);
DiscountedUcbRule ucb_rule(const Setting& setting, const Parameters& parameters);
SlidingWindowUcbRule sliding_window_ucb_rule(const Setting& setting, const Parameters& parameters);

template <Refresh refresh>
DiscountedUcb make_discounted_ucb(const Setting& setting, const Parameters& parameters) {
  return {setting, discounted_ucb_rule(setting, parameters), refresh};
}
template <Refresh refresh>
DiscountedUcb make_ucb(const Setting& setting, const Parameters& parameters) {
  return {setting, ucb_rule(setting, parameters), refresh};
}
template <Refresh refresh>
SlidingWindowUcb make_sliding_window_ucb(const Setting& setting, const Parameters& parameters) {
  return {setting, sliding_window_ucb_rule(setting, parameters), refresh};
}

}  // namespace longrun
