#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

#include "longrun/base/types.h"

namespace longrun {

/// An optimistic future: the next rewards are level + slope, level + 2 slope, ..., each at most 1. An outlook with
/// slope 0 is not capped at 1, because the index of a falling arm is its latest upper bound, which may exceed 1.
class Outlook {
 public:
  Outlook() = default;
  /// Returns the outlook of a reward that stays at `level`.
  static Outlook constant(double level) { return Outlook(level); }
  /// Returns the outlook of a reward that rises by `slope` per pull; constant if slope <= 0.
  static Outlook rising(double level, double slope) {
    Outlook outlook(level);
    if (slope <= 0) return outlook;
    outlook.slope_ = slope;
    outlook.pulls_below_one_ = std::max(0.0, std::floor((1 - level) / slope));
    outlook.shortfall_ = outlook.pulls_below_one_ * ((1 - level) - slope * (outlook.pulls_below_one_ + 1) / 2);
    return outlook;
  }

  double level() const { return level_; }
  double slope() const { return slope_; }
  /// Returns the number of rewards before the line reaches 1.
  double pulls_below_one() const { return pulls_below_one_; }
  /// Returns the sum of 1 - reward over those. If more pulls than those remain, a rising outlook has
  /// average_less_one() = -shortfall / remaining.
  double shortfall() const { return coarse(shortfall_); }

  /// Returns (1/remaining) * sum_{k=1..remaining} min(1, level + k slope) - 1, remaining >= 1. The 1 is subtracted
  /// because many averages are close to 1 and differ only in late digits. (Rewards that differ by less than 1e-16 tie.)
  ///
  /// Never grows when fewer pulls remain, to the last bit: rounding is monotone in each branch, and the second branch
  /// is never below the first. Lazy evaluation (policy/lazy_argmax.h) depends on this.
  double average_less_one(Pulls remaining) const {
    if (slope_ <= 0) return level_ - 1;
    const auto count = static_cast<double>(remaining);
    if (count <= pulls_below_one_) return line_average_less_one(count);
    const double capped = -shortfall() / count;
    return pulls_below_one_ == 0 ? capped : std::max(line_average_less_one(pulls_below_one_), capped);
  }
  /// Returns sum_{k=1..remaining} min(1, level + k slope).
  double total(Pulls remaining) const {
    if (remaining <= 0) return 0;
    const auto count = static_cast<double>(remaining);
    if (slope_ <= 0) return count * level_;
    return count <= pulls_below_one_ ? count * (level_ + slope_ * ((count + 1) / 2)) : count - shortfall_;
  }

  template <class Visit>
  decltype(auto) visit_fields(Visit&& visit) {
    return visit(level_, slope_, pulls_below_one_, shortfall_);
  }

 private:
  explicit Outlook(double level) : level_(level) {}
  /// Returns x without the last 5 of its 53 bits. Two shortfalls are then equal, or their quotients by the remaining
  /// pulls differ too: ordering by shortfall is ordering by index, including ties.
  static double coarse(double x) {
    return std::bit_cast<double>(std::bit_cast<std::uint64_t>(x) & ~std::uint64_t{0x1f});
  }
  double line_average_less_one(double count) const { return (level_ - 1) + slope_ * ((count + 1) / 2); }

  double level_ = 1;  // without observations every reward may be 1
  double slope_ = 0;
  double pulls_below_one_ = 0;
  double shortfall_ = 0;
};

}  // namespace longrun
