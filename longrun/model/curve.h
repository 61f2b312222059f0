#pragma once

#include <concepts>
#include <cstddef>
#include <limits>
#include <memory>
#include <utility>
#include <variant>
#include <vector>

#include "longrun/base/types.h"

namespace longrun {

// The formulas a curve can follow. Each gives the mean reward of pull m = 1, 2, ... in O(1), for any m.

/// The same reward for every pull.
struct Constant {
  double level = 0;
  double operator()(Pulls pull) const;
};

/// ceiling - drop * m^-exponent: rises for ever, ever more slowly (inc_1, inc_3).
struct SaturatingPower {
  double ceiling = 1;
  double drop = 1;
  double exponent = 1;
  double operator()(Pulls pull) const;
};

/// ceiling * min(1, (m / rise)^exponent): rises for `rise` pulls, then stays (inc_2).
struct CappedPower {
  double ceiling = 1;
  double rise = 1000;
  double exponent = 1;
  double operator()(Pulls pull) const;
};

/// a e^{-k1 (m-l)} + (c2-c1) / (e^{-(k1+k2)(m-l)} + 1) + c1: climbs towards c1, then sinks to c2 around pull l
/// (inc_dec).
struct RiseAndFall {
  double k1 = 0;
  double k2 = 0;
  double c1 = 1;
  double c2 = 0;
  double l = 0;
  double a = 0;
  double operator()(Pulls pull) const;
};

/// An item whose novelty wears off: x_0 = 0, x_k = x_{k-1} + novelty * decay^k - pull_to_value * (x_{k-1} - value), in
/// closed form; pull m pays x_{m-1} / scale (recommender).
struct Novelty {
  double value = 0;
  double novelty = 0;
  double decay = 0.9;
  double pull_to_value = 0.1;
  double scale = 1;
  double operator()(Pulls pull) const;
};

/// ceiling (1 - drop / (m - 1 + shift)^exponent), at most 1: learning curves of Metelli et al. (2022).
struct ShiftedPower {
  double ceiling = 1;
  double drop = 1;
  double shift = 1;
  double exponent = 1;
  double operator()(Pulls pull) const;
};

/// ceiling (1 - e^{-rate (m - 1)}).
struct SaturatingExponential {
  double ceiling = 1;
  double rate = 0.01;
  double operator()(Pulls pull) const;
};

/// start + (top - start) ((m - 1) / (peak - 1))^rise up to pull `peak`, then end + (top - end) e^{-(m - peak) / fall}.
/// Single-peaked for rise <= 1 and start, end <= top.
struct Hill {
  double start = 0;
  double top = 1;
  double end = 0;
  double peak = 100;
  double rise = 1;
  double fall = 100;
  double operator()(Pulls pull) const;
};

/// `before` for the first `pulls` pulls, then `after`.
struct Step {
  double before = 1;
  double after = 0;
  double pulls = 100;
  double operator()(Pulls pull) const;
};

/// Rewards written down one by one; `after_end` (or nothing: the curve ends) is paid beyond the last.
struct Table {
  std::shared_ptr<const std::vector<double>> rewards;
  double after_end = std::numeric_limits<double>::quiet_NaN();
  double operator()(Pulls pull) const;
};

using Formula = std::variant<Constant, SaturatingPower, CappedPower, RiseAndFall, Novelty, ShiftedPower,
                             SaturatingExponential, Hill, Step, Table>;

/// Mean reward per pull of one arm: f(1), f(2), ... A cheap value: copies share their tables.
class Curve {
 public:
  // NOLINTBEGIN(google-explicit-constructor): a formula is a curve
  Curve(Formula formula);
  template <class Alternative>
  requires(!std::same_as<Alternative, Curve> && !std::same_as<Alternative, Formula> &&
           std::convertible_to<Alternative, Formula>) Curve(Alternative formula)
      : Curve(Formula(std::move(formula))) {}
  // NOLINTEND(google-explicit-constructor)
  /// A table of rewards, for exactly as many pulls.
  static Curve from_rewards(std::vector<double> rewards);

  /// f(pull), pull in 1..length().
  double reward(Pulls pull) const {
    const auto index = static_cast<std::size_t>(pull - 1);
    return index < tabulated_ ? rewards_[index] : formula_reward(pull);
  }
  /// F(pulls) = f(1) + ... + f(pulls). O(1) where tabulated, else O(pulls) time and no memory.
  double cumulative(Pulls pulls) const;
  /// The last pull the curve is defined for; the largest number there is where a formula goes on for ever.
  Pulls length() const;

  /// The same curve with its first `pulls` rewards computed once and looked up from then on.
  Curve tabulated(Pulls pulls) const;

 private:
  struct Lookup {
    std::vector<double> rewards;
    std::vector<double> cumulative;
  };
  void set_lookup(std::shared_ptr<const Lookup> lookup);
  double formula_reward(Pulls pull) const;

  Formula formula_;
  std::shared_ptr<const Lookup> lookup_;
  const double* rewards_ = nullptr;  // of lookup_, kept at hand for the hot loop
  std::size_t tabulated_ = 0;
};

/// The shape of a curve over its first `pulls` pulls.
struct Shape {
  bool rising = false;         ///< never falls
  bool falling = false;        ///< never rises
  bool concave_rise = false;   ///< while it rises it rises ever more slowly
  bool single_peaked = false;  ///< rises concavely up to `peak`, never rises after it
  Pulls peak = 1;              ///< first pull with the largest reward
  double deviation = 0;  ///< the largest step, of reward or of slope, against single-peakedness; 0 for a perfect curve
};

/// Steps smaller than `tolerance` count as level. O(pulls) time, O(1) memory.
Shape shape_of(const Curve& curve, Pulls pulls, double tolerance = 1e-9);

}  // namespace longrun
