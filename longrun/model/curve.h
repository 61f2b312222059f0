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

// The formulas of curves. Each returns the mean reward of pull m = 1, 2, ... in O(1), for any m.

/// The same reward for every pull.
struct Constant {
  double level = 0;
  double operator()(Pulls pull) const;
};

/// ceiling - drop * m^-exponent: rises for all pulls, with decreasing steps (inc_1, inc_3).
struct SaturatingPower {
  double ceiling = 1;
  double drop = 1;
  double exponent = 1;
  double operator()(Pulls pull) const;
};

/// ceiling * min(1, (m / rise)^exponent): rises for `rise` pulls, then is constant (inc_2).
struct CappedPower {
  double ceiling = 1;
  double rise = 1000;
  double exponent = 1;
  double operator()(Pulls pull) const;
};

/// a e^{-k1 (m-l)} + (c2-c1) / (e^{-(k1+k2)(m-l)} + 1) + c1: rises towards c1, then falls to c2 around pull l
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

/// An item with decreasing novelty: x_0 = 0, x_k = x_{k-1} + novelty * decay^k - pull_to_value * (x_{k-1} - value), in
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

/// start + (top - start) / (1 + e^{-(m - middle) / width}): an S-shaped rise, half of it at pull `middle`.
struct Logistic {
  double start = 0;
  double top = 1;
  double middle = 100;
  double width = 20;
  double operator()(Pulls pull) const;
};

/// start + (top - start) e^{-e^{-(m - middle) / width}}: an S-shaped rise with a sudden beginning and a slow end; 37 %
/// of it is done at pull `middle`, where it is steepest.
struct Gompertz {
  double start = 0;
  double top = 1;
  double middle = 100;
  double width = 20;
  double operator()(Pulls pull) const;
};

/// With x = m - 1: start + (plateau - start) (1 - e^{-x / fast}) + (top - plateau) / (1 + (middle / x)^exponent) up to
/// pull `peak`, then a fall from that value to `end` at the rate e^{-(m - peak) / fall}. A fast start, a plateau, then
/// the main rise, half of it at pull middle + 1: the shape of the FICO curves. With plateau = start it is a Hill
/// (log-logistic) curve.
struct TwoRises {
  double start = 0;
  double plateau = 0.2;
  double top = 1;
  double fast = 5;
  double middle = 100;
  double exponent = 2;
  double end = 0;
  double peak = kNeverPeaks;
  double fall = 100;
  double operator()(Pulls pull) const;

  static constexpr double kNeverPeaks = 1e15;  ///< beyond any horizon; finite, so that it can be written as TOML
};

/// A table of rewards. Pulls beyond its end pay `after_end`; if that is NaN, the curve ends with the table.
struct Table {
  std::shared_ptr<const std::vector<double>> rewards;
  double after_end = std::numeric_limits<double>::quiet_NaN();
  double operator()(Pulls pull) const;
};

using Formula = std::variant<Constant, SaturatingPower, CappedPower, RiseAndFall, Novelty, ShiftedPower,
                             SaturatingExponential, Hill, Step, Logistic, Gompertz, TwoRises, Table>;

/// The mean reward per pull of one arm: f(1), f(2), ... Copies are cheap: they share their tables.
class Curve {
 public:
  // NOLINTBEGIN(google-explicit-constructor): a formula is a curve
  Curve(Formula formula);
  template <class Alternative>
  requires(!std::same_as<Alternative, Curve> && !std::same_as<Alternative, Formula> &&
           std::convertible_to<Alternative, Formula>) Curve(Alternative formula)
      : Curve(Formula(std::move(formula))) {}
  // NOLINTEND(google-explicit-constructor)
  /// Returns a curve with exactly these rewards, which ends after the last. Throws InputError if one is not finite.
  static Curve from_rewards(std::vector<double> rewards);

  /// Returns f(pull), pull in 1..length().
  double reward(Pulls pull) const {
    const auto index = static_cast<std::size_t>(pull - 1);
    return index < tabulated_ ? rewards_[index] : formula_reward(pull);
  }
  /// Returns F(pulls) = f(1) + ... + f(pulls). O(1) where tabulated, else O(pulls) time and no memory.
  double cumulative(Pulls pulls) const;
  /// Returns the last pull for which the curve is defined; the largest Pulls value if it never ends.
  Pulls length() const;

  /// Returns the same curve with its first `pulls` rewards computed once and looked up from then on.
  Curve tabulated(Pulls pulls) const;

  /// Returns the largest 10^-d, 1 <= d <= 12, of which every reward of a table is a multiple. Returns 0 for a table
  /// with more decimals and for other formulas. Whole numbers are not rounded to 1: every curve from 0 to 1 would then
  /// be single-peaked within its rounding.
  double resolution() const;

 private:
  struct Lookup {
    std::vector<double> rewards;
    std::vector<double> cumulative;
  };
  void set_lookup(std::shared_ptr<const Lookup> lookup);
  double formula_reward(Pulls pull) const;

  Formula formula_;
  std::shared_ptr<const Lookup> lookup_;  // null if nothing is tabulated
  const double* rewards_ = nullptr;       // the rewards of lookup_; a plain pointer for the hot loop
  std::size_t tabulated_ = 0;             // the number of those rewards
};

/// The shape of a curve over its first `pulls` pulls.
struct Shape {
  bool rising = false;         ///< never falls
  bool falling = false;        ///< never rises
  bool concave_rise = false;   ///< its steps never grow before the peak
  bool single_peaked = false;  ///< rises concavely up to `peak`, never rises after it
  Pulls peak = 1;              ///< first pull with the largest reward
  double deviation = 0;        ///< the largest violation of single-peakedness, in reward; 0 for a perfect curve
};

/// The violations of a shape that count as rounding.
struct ShapeTolerance {
  double step = 1e-9;   ///< of the difference of two rewards
  double slope = 1e-9;  ///< of the difference of two steps
};

/// Returns the shape of the first `pulls` rewards. O(pulls) time, O(1) memory.
Shape shape_of(const Curve& curve, Pulls pulls, const ShapeTolerance& tolerance = {});

/// Returns the tolerance for a curve whose rewards may have been rounded to few decimals. A table with rounded rewards,
/// see Curve::resolution(), has errors of half a unit of its last decimal in every reward: up to 1 unit in the
/// difference of two rewards, up to 2 units in the difference of two steps. Formulas keep the default tolerance.
ShapeTolerance rounding_tolerance(const Curve& curve);

}  // namespace longrun
