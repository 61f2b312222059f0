#pragma once

namespace longrun {

/// A number over all futures: its mean, and an interval in which it lies with a probability of 80 %, from the 10 % to
/// the 90 % quantile. A few futures that are far from the others can move the mean out of the interval. It is not
/// widened for that: a gain of 36 in one future of ten, and of 0 in all others, is not one of "0 to 3.6".
struct FutureRange {
  double mean = 0;
  double low = 0;
  double high = 0;

  bool mean_is_inside() const { return low <= mean && mean <= high; }
  /// Returns whether the number is the same in all futures.
  bool is_certain() const { return low == high && mean == low; }
};

}  // namespace longrun
