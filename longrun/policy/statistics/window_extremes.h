#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "longrun/base/types.h"

namespace longrun {

/// The lowest and the highest reward of each window of DyadicWindows, by which a single outlier can be told from a
/// change of the mean. O(log n) memory for n rewards, and O(1) amortised time per reward.
class WindowExtremes {
 public:
  /// Adds reward number `count`, which counts from 1.
  void add(double reward, Pulls count) {
    Range range{reward, reward};  // of the window of `scale` that this reward completes
    for (std::size_t scale = 0;; ++scale) {
      if (scale == ranges_.size()) {
        ranges_.push_back(range);
        return;
      }
      const Range previous = std::exchange(ranges_[scale], range);
      if ((count >> scale) % 2 != 0) return;  // only the first half of the next larger window
      range = {std::min(previous.lowest, range.lowest), std::max(previous.highest, range.highest)};
    }
  }

  /// Returns the lowest reward of the window of `scale`.
  double lowest(std::size_t scale) const { return ranges_[scale].lowest; }
  /// Returns the highest reward of the window of `scale`.
  double highest(std::size_t scale) const { return ranges_[scale].highest; }

  template <class Visit>
  decltype(auto) visit_fields(Visit&& visit) {
    return visit(ranges_);
  }

 private:
  struct Range {
    double lowest = 0;
    double highest = 0;

    template <class Visit>
    decltype(auto) visit_fields(Visit&& visit) {
      return visit(lowest, highest);
    }
  };
  std::vector<Range> ranges_;  // by scale
};

}  // namespace longrun
