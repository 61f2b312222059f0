#pragma once

#include <vector>

#include "longrun/policy/ledger.h"
#include "longrun/policy/parameters.h"
#include "longrun/policy/restriction.h"
#include "longrun/policy/statistics/dyadic_windows.h"

namespace longrun {

/// FEWA, "filtering on expanding window averages" (Seznec, Locatelli, Carpentier, Lazaric & Valko, AISTATS 2019), for
/// falling arms, in its efficient form (EFF-FEWA). Every arm is pulled once first. Before every later pull all arms are
/// candidates, then for h = 1, 2, 4, ...: if a candidate has fewer than h rewards, the first such candidate is pulled;
/// else those candidates remain whose sum over a window of h is within sqrt(8 h alpha sd^2 ln t) of the largest sum.
/// Here t is the number of the pull about to be made and sd the noise's standard deviation. The window of h is updated
/// every h pulls (DyadicWindows).
///
/// The plain form, h = 1, 2, 3, ..., is not implemented: before every pull it examines every window of every candidate,
/// as many as the candidate has rewards, and each pull changes all windows of its arm. That takes O(arms t) per step
/// and all rewards in memory. The efficient form takes O(arms log n) per step and O(log n) memory per arm; in return
/// the end of a window of h may be up to h - 1 rewards old.
///
/// A lost first pull is repeated (Ledger); an arm without a reward is not a candidate, and t counts rewards. Restricted
/// to some arms it acts as if there were no others. It ignores costs.
class Fewa {
 public:
  Fewa(const Setting& setting, double alpha);

  Arm choose();
  Arm choose(const Restriction& restriction);
  void observe(Arm arm, double reward);
  void lose(Arm arm) { ledger_.add_lost(arm); }

  void add_arm() {
    ledger_.add_arm();
    windows_.emplace_back();
  }
  void extend(Pulls pulls) { ledger_.extend(pulls); }

  template <class Visit>
  decltype(auto) visit_fields(Visit&& visit) {
    return visit(ledger_, windows_);
  }

 private:
  /// Removes candidates until the arm to pull is known, and returns it. Requires at least one candidate.
  Arm filter_candidates();
  const DyadicWindows& windows(Arm arm) const { return windows_[static_cast<std::size_t>(arm)]; }

  double alpha_;
  double sd_;
  Ledger ledger_;
  std::vector<DyadicWindows> windows_;  // by arm
  std::vector<Arm> candidates_;         // of the current decision; a member so that it is allocated only once
};

inline constexpr Parameter kFewaAlpha{
    .name = "alpha",
    .meaning =
        "weight of the distance that a candidate may have from the best; the authors' tuning, their theory has 4",
    .default_value = 0.06,
    .minimum = 0,
    .maximum = 1e9};
inline constexpr Parameter kFewaParameters[] = {kFewaAlpha};

Fewa make_fewa(const Setting& setting, const Parameters& parameters);

}  // namespace longrun
