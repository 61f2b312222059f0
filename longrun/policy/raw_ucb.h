#pragma once

#include <vector>

#include "longrun/policy/index_policy.h"
#include "longrun/policy/parameters.h"
#include "longrun/policy/statistics/dyadic_windows.h"

namespace longrun {

/// The index rule of RAW-UCB (Seznec, Menard, Lazaric & Valko, AISTATS 2020), for falling arms, in its efficient form:
/// the smallest upper confidence bound over windows of the last rewards,
///   min over h = 1, 2, 4, ... <= n of  mean of a window of h + sqrt(2 alpha sd^2 ln t / h),
/// where t is the number of the pull about to be made and sd the noise's standard deviation. The window of h is updated
/// every h pulls (DyadicWindows). A short window shows a fall at once, a long one shows small differences. Every arm is
/// pulled once first. A step takes O(arms log n) time, an arm O(log n) memory.
class RawUcbRule {
 public:
  static constexpr bool kIndexMayGrow = true;

  RawUcbRule(const Setting& setting, double alpha);

  Pulls initial_pulls() const { return 1; }
  void observe(Arm arm, double reward, const Ledger&) { windows_[static_cast<std::size_t>(arm)].add(reward); }
  void prepare(const Ledger& ledger);
  double index(Arm arm, const Ledger&) const;

  void add_arm() { windows_.emplace_back(); }

  template <class Visit>
  decltype(auto) visit_fields(Visit&& visit) {
    return visit(windows_);
  }

 private:
  double alpha_;
  double sd_;
  std::vector<DyadicWindows> windows_;  // by arm
  double bonus_ = 0;                    // of a window of one reward, as of the last prepare()
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
