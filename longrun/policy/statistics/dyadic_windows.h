#pragma once

#include <array>
#include <cstddef>
#include <utility>
#include <vector>

#include "longrun/base/types.h"

namespace longrun {

/// Means of an arm's last rewards over windows of 1, 2, 4, ... rewards: the statistics of the efficient algorithms of
/// Seznec et al. (2019, 2020). The window of scale j is the latest complete one of those that end at a multiple of 2^j
/// rewards. It holds 2^j successive rewards out of the last 2^(j+1) - 1.
///
/// n rewards take O(log n) memory, and one more reward O(1) amortised time: a complete window consists of two complete
/// windows of half its size. Halving is exact, so equal rewards have exactly that reward as their means, and ties
/// between arms remain ties.
class DyadicWindows {
 public:
  void add(double reward) {
    ++count_;
    double mean = reward;  // of the window of `scale` that this reward completes
    for (std::size_t scale = 0;; ++scale) {
      if (scale == means_.size()) {
        means_.push_back(mean);
        previous_means_.push_back(mean);  // a placeholder: the first window of a scale has no previous one
        return;
      }
      const double previous = std::exchange(means_[scale], mean);
      previous_means_[scale] = previous;
      if ((count_ >> scale) % 2 != 0) return;  // only the first half of the next larger window
      mean = 0.5 * previous + 0.5 * mean;      // not half of the sum, which could overflow
    }
  }

  /// Returns the number of rewards.
  Pulls count() const { return count_; }
  /// Returns the number of scales that have a complete window: the smallest s with count() < 2^s.
  std::size_t scales() const { return means_.size(); }
  /// Returns the mean of the window of `scale`, which must be less than scales().
  double mean(std::size_t scale) const { return means_[scale]; }
  const std::vector<double>& means() const { return means_; }
  /// Returns the number of rewards up to the end of the window of `scale`.
  Pulls end(std::size_t scale) const { return (count_ >> scale) << scale; }
  /// Returns whether the last reward completed the window of `scale`.
  bool just_completed(std::size_t scale) const { return end(scale) == count_; }

  /// Returns whether a window of the same size ends where that of `scale` begins.
  bool has_previous(std::size_t scale) const { return (count_ >> scale) >= 2; }
  /// Returns the mean of that previous window. Requires has_previous(scale).
  double previous_mean(std::size_t scale) const { return previous_means_[scale]; }

  /// Returns 2^(-scale/2), the standard error of a window's mean in units of that of one reward.
  static double error_factor(std::size_t scale) { return kErrorFactors[scale]; }

  template <class Visit>
  decltype(auto) visit_fields(Visit&& visit) {
    return visit(count_, means_, previous_means_);
  }

 private:
  static constexpr std::array<double, 64> kErrorFactors = [] {
    std::array<double, 64> values{};
    double even = 1;
    for (std::size_t scale = 0; scale < values.size(); scale += 2, even /= 2) {
      values[scale] = even;
      values[scale + 1] = even * 0.70710678118654752440;
    }
    return values;
  }();

  Pulls count_ = 0;
  std::vector<double> means_;           // by scale; size: the number of bits of count_
  std::vector<double> previous_means_;  // by scale; same size; valid where has_previous()
};

}  // namespace longrun
