#pragma once

#include <array>
#include <cstddef>
#include <utility>
#include <vector>

#include "longrun/base/types.h"

namespace longrun {

/// Means of an arm's last rewards over windows of 1, 2, 4, ... rewards, in O(log n) memory: the statistics of the
/// efficient algorithms of Seznec et al. (2019, 2020). The window of scale j is refreshed every 2^j rewards: it is the
/// last complete one of those that end at a multiple of 2^j, so it holds 2^j successive rewards out of the last
/// 2^(j+1) - 1.
///
/// A complete window is the two complete ones of half its size, so no pending sums are needed, and a reward costs O(1)
/// amortised. Halving is exact: equal rewards have exactly that reward as their means, and ties between arms stay ties.
class DyadicWindows {
 public:
  void add(double reward) {
    ++count_;
    double mean = reward;  // of the window that this reward completes at `scale`
    for (std::size_t scale = 0;; ++scale) {
      if (scale == means_.size()) {
        means_.push_back(mean);
        earlier_.push_back(mean);  // a placeholder: there is none before the first
        return;
      }
      const double previous = std::exchange(means_[scale], mean);
      earlier_[scale] = previous;
      if ((count_ >> scale) % 2 != 0) return;  // only the first half of the next larger window
      mean = 0.5 * previous + 0.5 * mean;      // not half of the sum, which could overflow
    }
  }

  /// How many windows there are: those of 2^scale rewards with scale < scales(), so n rewards are fewer than 2^scale
  /// where scale >= scales().
  std::size_t scales() const { return means_.size(); }
  double mean(std::size_t scale) const { return means_[scale]; }
  const std::vector<double>& means() const { return means_; }

  Pulls count() const { return count_; }
  /// How many rewards there were when the window of `scale` was complete.
  Pulls end(std::size_t scale) const { return (count_ >> scale) << scale; }
  /// Whether the last reward completed that window.
  bool just_completed(std::size_t scale) const { return end(scale) == count_; }
  /// The mean of the window just before it, of the same size; only where end(scale) holds two of them.
  bool has_earlier(std::size_t scale) const { return (count_ >> scale) >= 2; }
  double earlier_mean(std::size_t scale) const { return earlier_[scale]; }

  /// 2^(-scale/2): how much smaller than that of one reward the standard error of a window's mean is.
  static double shrinkage(std::size_t scale) { return kShrinkage[scale]; }

 private:
  static constexpr std::array<double, 64> kShrinkage = [] {
    std::array<double, 64> values{};
    double even = 1;
    for (std::size_t scale = 0; scale < values.size(); scale += 2, even /= 2) {
      values[scale] = even;
      values[scale + 1] = even * 0.70710678118654752440;
    }
    return values;
  }();

  Pulls count_ = 0;
  std::vector<double> means_;
  std::vector<double> earlier_;
};

}  // namespace longrun
