#pragma once

#include <vector>

#include "longrun/policy/ledger.h"
#include "longrun/policy/parameters.h"
#include "longrun/policy/restriction.h"
#include "longrun/policy/statistics/dyadic_windows.h"

namespace longrun {

/// FEWA, "filtering on expanding window averages" (Seznec, Locatelli, Carpentier, Lazaric & Valko, AISTATS 2019), for
/// falling arms, in its efficient form (EFF-FEWA). Before every pull all arms are candidates, then for h = 1, 2, 4,
/// ...: the first candidate with fewer than h rewards is pulled, if there is one; else candidates stay whose sum over a
/// window of h is within sqrt(8 h alpha sd^2 ln t) of the largest, where t is the number of the pull about to be made.
/// The window of h is refreshed every h pulls (DyadicWindows). Every arm is pulled once first; sd is the noise's
/// standard deviation.
///
/// The plain form, h = 1, 2, 3, ..., is left out on purpose: before every pull it looks at every window of every
/// candidate, as many as the candidates have rewards, and each pull moves all windows of its arm: O(arms t) per step,
/// with all rewards in memory. The efficient form costs O(arms log n) per step and O(log n) memory per arm; in return a
/// window of h may be up to h - 1 rewards old.
///
/// Outside the play loop: pulls in flight count as made for the first pull of every arm only; an arm none of whose
/// rewards has come back is no candidate, and t counts the rewards that have. While no reward at all has come back, the
/// arm suggested least often is next. Rewards nobody asked for are taken in like any other.
/// Restricted to some arms it does the same as if there were no others. It takes no account of costs.
class Fewa {
 public:
  Fewa(const Setting& setting, double alpha);

  Arm choose();
  Arm choose(const Restriction& among);
  void observe(Arm arm, double reward);

 private:
  Arm next();
  Arm next(const Restriction& among);
  Arm filter();
  const DyadicWindows& windows(Arm arm) const { return windows_[static_cast<std::size_t>(arm)]; }

  double alpha_;
  double sd_;
  Ledger ledger_;
  std::vector<DyadicWindows> windows_;
  std::vector<Arm> candidates_;  // of the decision being made, here to be allocated once
};

inline constexpr Parameter kFewaAlpha{
    .name = "alpha",
    .meaning = "largest distance of a candidate from the best arm; tuned by the authors, whose theory needs 4",
    .default_value = 0.06,
    .minimum = 0,
    .maximum = 1e9};
inline constexpr Parameter kFewaParameters[] = {kFewaAlpha};

Fewa make_fewa(const Setting& setting, const Parameters& parameters);

}  // namespace longrun
