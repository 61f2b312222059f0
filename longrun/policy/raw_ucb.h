#pragma once

#include <vector>

#include "longrun/policy/index_policy.h"
#include "longrun/policy/parameters.h"
#include "longrun/policy/statistics/dyadic_windows.h"

namespace longrun {

/// RAW-UCB (Seznec, Menard, Lazaric & Valko, AISTATS 2020), for falling arms, in its efficient form: the index is the
/// smallest upper confidence bound over windows of the last rewards,
///   min over h = 1, 2, 4, ... <= n of  mean of a window of h + sqrt(2 alpha sd^2 ln t / h),
/// where t is the number of the pull about to be made, and the window of h is refreshed every h pulls (DyadicWindows).
/// A short window sees a fall at once, a long one tells small differences. Every arm is pulled once first; sd is the
/// noise's standard deviation. A step costs O(arms log n), an arm's memory is O(log n).
///
/// Outside the play loop t counts the rewards that have come back; else as every IndexPolicy.
class RawUcbRule {
 public:
  static constexpr bool kIndexMayGrow = true;

  RawUcbRule(const Setting& setting, double alpha);

  Pulls initial_pulls() const { return 1; }
  void observe(Arm arm, double reward, const Ledger&) { windows_[static_cast<std::size_t>(arm)].add(reward); }
  void prepare(const Ledger& ledger);
  double index(Arm arm, const Ledger&) const;

 private:
  double alpha_;
  double sd_;
  std::vector<DyadicWindows> windows_;
  double bonus_ = 0;  // of a window of one
};

using RawUcb = IndexPolicy<RawUcbRule>;

inline constexpr Parameter kRawUcbAlpha{
    .name = "alpha",
    .meaning = "weight of the exploration bonus; the default is the authors' choice",
    .default_value = 1.4,
    .minimum = 0,
    .maximum = 1e9};
inline constexpr Parameter kRawUcbParameters[] = {kRawUcbAlpha};

RawUcb make_raw_ucb(const Setting& setting, const Parameters& parameters);

}  // namespace longrun
