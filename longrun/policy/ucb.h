#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

#include "longrun/base/pair.h"
#include "longrun/policy/index_policy.h"
#include "longrun/policy/parameters.h"

namespace longrun {

/// The exploration bonuses exploration * ln(x) for a number x that changes to x * discount + 1 in every step, whatever
/// the choices are. So the next values of x are known: their logarithms are computed 32 at once, because a logarithm
/// alone takes as long as the rest of a step.
class BonusesAhead {
 public:
  BonusesAhead(double discount, double exploration) : discount_(discount), exploration_(exploration) { start(0); }

  /// Begins with a value of x: 0, for which there is no bonus, or at least 1.
  void start(double x);
  /// Goes to the next value of x.
  void advance() {
    ahead_ = ahead_ * discount_ + 1;
    upcoming_[now_] = ahead_;
    if (++now_ == kCount) [[unlikely]]
      compute();
  }
  /// Returns the bonus of the current value of x.
  double bonus() const { return bonuses_[now_]; }

 private:
  static constexpr std::size_t kCount = 32;
  /// Goes to the first of the upcoming values.
  void compute();

  double discount_;
  double exploration_;
  std::size_t now_ = 0;
  std::array<double, kCount> bonuses_{};   // [now_] is that of the current x
  std::array<double, kCount> upcoming_{};  // up to now_: the values of x for which bonuses are computed next
  double ahead_ = 0;                       // the last known value of x
};

/// The index rule of discounted UCB (Garivier & Moulines 2011): the mean of the arm's rewards, each with the weight
/// discount^age, where age counts the later pulls of all arms, plus sqrt(exploration * ln(total weight) / weight of the
/// arm). Discount 1 is plain UCB.
class DiscountedUcbRule {
 public:
  static constexpr bool kIndexMayGrow = true;

  DiscountedUcbRule(const Setting& setting, double discount, double exploration);

  Pulls initial_pulls() const { return 1; }
  void observe(Arm arm, double reward, const Ledger&) {
    for_each_lanes(weights_.size(), [&]<class Lanes>(std::size_t first, Lanes) {
      const std::size_t lane = static_cast<std::size_t>(arm) - first;
      const Lanes weights = load_lanes<Lanes>(&weights_[first]) * discount_;
      const Lanes sums = load_lanes<Lanes>(&sums_[first]) * discount_;
      store_lanes(&weights_[first], weights + in_lane<Lanes>(lane, 1));
      store_lanes(&sums_[first], sums + in_lane<Lanes>(lane, reward));
    });
    total_weight_ = total_weight_ * discount_ + 1;
    bonuses_.advance();
  }
  void prepare(const Ledger&) {}
  double index(Arm arm, const Ledger&) const { return indices<double>(static_cast<std::size_t>(arm)); }
  /// Returns the indices of the arms first, first + 1, ...: of as many as `Lanes` has.
  template <class Lanes>
  Lanes indices(std::size_t first) const {
    const auto weights = load_lanes<Lanes>(&weights_[first]);
    const auto sums = load_lanes<Lanes>(&sums_[first]);
    // The weight of an arm not pulled for very long underflows to 0; its bonus is then larger than any other.
    return where_positive(weights, sums / weights + square_root(bonuses_.bonus() / weights),
                          std::numeric_limits<double>::infinity());
  }

  void add_arm() {
    weights_.push_back(0);
    sums_.push_back(0);
  }

  template <class Visit>
  decltype(auto) visit_fields(Visit&& visit) {
    return visit(weights_, sums_, total_weight_);
  }
  void after_load() { bonuses_.start(total_weight_); }

 private:
  double discount_;
  std::vector<double> weights_;  // by arm
  std::vector<double> sums_;     // by arm, of weighted rewards
  double total_weight_ = 0;      // sum of weights_
  BonusesAhead bonuses_;         // of the total weight
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
    const bool full = filled_ == window_.size();
    const Entry oldest = full ? window_[next_] : Entry{.reward = 0, .arm = kNoArm};
    window_[next_] = {reward, arm};
    for_each_lanes(counts_.size(), [&]<class Lanes>(std::size_t first, Lanes) {
      const std::size_t in = static_cast<std::size_t>(arm) - first;
      const std::size_t out = static_cast<std::size_t>(oldest.arm) - first;
      const Lanes counts = load_lanes<Lanes>(&counts_[first]) - in_lane<Lanes>(out, 1);
      const Lanes sums = load_lanes<Lanes>(&sums_[first]) - in_lane<Lanes>(out, oldest.reward);
      store_lanes(&counts_[first], counts + in_lane<Lanes>(in, 1));
      store_lanes(&sums_[first], sums + in_lane<Lanes>(in, reward));
    });
    if (!full) {
      ++filled_;
      bonuses_.advance();
    }
    if (++next_ == window_.size()) {
      next_ = 0;
      recompute_sums();
    }
  }
  void prepare(const Ledger&) {}
  double index(Arm arm, const Ledger&) const { return indices<double>(static_cast<std::size_t>(arm)); }
  /// Returns the indices of the arms first, first + 1, ...: of as many as `Lanes` has.
  template <class Lanes>
  Lanes indices(std::size_t first) const {
    const auto counts = load_lanes<Lanes>(&counts_[first]);
    const auto sums = load_lanes<Lanes>(&sums_[first]);
    return where_positive(counts, sums / counts + square_root(bonuses_.bonus() / counts),
                          std::numeric_limits<double>::infinity());
  }

  void add_arm() {
    counts_.push_back(0);
    sums_.push_back(0);
  }

  template <class Visit>
  decltype(auto) visit_fields(Visit&& visit) {
    return visit(window_, filled_, next_, counts_, sums_);
  }
  void after_load() { bonuses_.start(static_cast<double>(filled_)); }

 private:
  static constexpr Arm kNoArm = -1;

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
  std::vector<Entry> window_;   // a ring buffer
  std::size_t filled_ = 0;      // entries in use
  std::size_t next_ = 0;        // where the next entry goes: the oldest entry once the ring is full
  std::vector<double> counts_;  // by arm, entries in the window
  std::vector<double> sums_;    // by arm, of the rewards in the window
  BonusesAhead bonuses_;        // of filled_
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
