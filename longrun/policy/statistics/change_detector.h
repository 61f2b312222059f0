#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "longrun/base/types.h"

namespace longrun {

/// A test of whether the mean of rewards in [0, 1] has changed: the generalized likelihood ratio of Bernoulli
/// distributions (Maillard 2019; Besson, Kaufmann, Maillard & Seznec 2022). After n rewards there is a change if for a
/// split s, 0 < s < n,
///   s kl(m_1, m) + (n-s) kl(m_2, m) >= ln(3 n^(3/2) / delta),
/// where m, m_1 and m_2 are the means of all rewards, of the first s and of the others, and kl is
/// bernoulli_divergence(). The right side is the one of the authors' experiments; their proof needs a larger one.
///
/// The splits are a geometric grid, not all s: for every power of 2, it and 3/2 of it, and its last four multiples. So
/// there are splits close to every change, measured by its distance from the start or from the newest reward. n rewards
/// take O(log n) memory, one more reward O(1) amortised time, and a test O(log n). Rewards outside [0, 1] count as the
/// nearer end: the rewards of an arm that does not change then still have one mean.
class ChangeDetector {
 public:
  void add(double reward);
  /// Returns whether the mean has changed. If it has not, the probability of any change being found is about delta.
  bool has_changed(double delta) const;

  template <class Visit>
  decltype(auto) visit_fields(Visit&& visit) {
    return visit(count_, sum_, scales_);
  }

 private:
  static constexpr std::size_t kMultiples = 4;
  /// The sums of all rewards up to the splits of one power of 2.
  struct Scale {
    double first = 0;                         // up to the power itself
    double middle = 0;                        // up to 3/2 of it, if there are so many rewards
    std::array<double, kMultiples> latest{};  // up to its last multiples, the last one first; 0 if there are fewer

    template <class Visit>
    decltype(auto) visit_fields(Visit&& visit) {
      return visit(first, middle, latest);
    }
  };

  Pulls count_ = 0;
  double sum_ = 0;             // of all rewards
  std::vector<Scale> scales_;  // by the exponent of the power; size: the number of bits of count_
};

}  // namespace longrun
