#pragma once

#include <cmath>
#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "longrun/policy/kl_ucb.h"
#include "longrun/policy/ledger.h"
#include "longrun/policy/parameters.h"
#include "longrun/policy/restriction.h"
#include "longrun/policy/statistics/change_detector.h"
#include "longrun/policy/statistics/kl_bounds.h"

namespace longrun {

/// GLR-klUCB with local restarts (Besson, Kaufmann, Maillard & Seznec 2022), for rewards in [0, 1] whose means change
/// from time to time: KL-UCB, and a test after every reward of whether its arm has changed (ChangeDetector). If so, the
/// arm begins again: all its earlier rewards are forgotten, and the t of its exploration counts from there. Other arms
/// keep theirs, because here an arm changes only by its own pulls. A share alpha of all pulls goes to the arms in turn,
/// so that changes of arms with small indices are found: pulls k p + 1 .. k p + K, for K arms, p = floor(K / alpha) and
/// k = 0, 1, ...
///
/// Deviations from the authors: splits on a geometric grid, and the reward by which a change is found is the first of
/// the new beginning, so an arm always has an index. Every arm is pulled once first.
///
/// A lost pull counts in the turns and nowhere else. While pulls are pending, imagined rewards are not tested.
/// Restricted to some arms it acts as if there were no others; with costs it compares indices per unit of cost. A step
/// takes O(arms + log n), with few logarithms. Rewards outside [0, 1] count as the nearer end.
class GlrKlUcb {
 public:
  /// The parameters of the policy; their meanings are with the parameters of the same names.
  struct Options {
    double delta;
    double alpha;
    double c;
  };
  GlrKlUcb(const Setting& setting, const Options& options);

  Arm choose();
  Arm choose(const Restriction& restriction);
  void observe(Arm arm, double reward);
  void imagine(Arm arm, double reward);
  void lose(Arm arm) { ledger_.add_lost(arm); }

  void add_arm();
  void extend(Pulls pulls) { ledger_.extend(pulls); }

  template <class Visit>
  decltype(auto) visit_fields(Visit&& visit) {
    return visit(ledger_, bounds_, detectors_, starts_);
  }

 private:
  /// Returns the position, among `arms` arms, of the arm whose turn it is, or nullopt.
  std::optional<std::size_t> turn_of(std::size_t arms) const;
  /// Returns the exploration of an arm's index.
  double exploration(Arm arm) const;

  Options options_;
  Ledger ledger_;
  KlBounds bounds_;
  std::vector<ChangeDetector> detectors_;  // by arm
  std::vector<Pulls> starts_;              // by arm: rewards of all arms before its first that is not forgotten
};

inline constexpr Parameter kGlrKlUcbDelta{
    .name = "delta",
    .meaning = "probability that a change is found in an arm without one",
    .default_value = DefaultFormula{"1/sqrt(horizon)",
                                    [](const Setting& setting, const Parameters&) {
                                      return 1 / std::sqrt(static_cast<double>(setting.horizon));
                                    }},
    .minimum = 1e-12,
    .maximum = 1};
inline constexpr Parameter kGlrKlUcbAlpha{
    .name = "alpha",
    .meaning = "share of pulls that go to the arms in turn",
    .default_value = DefaultFormula{"0.1 sqrt(ln horizon / horizon)",
                                    [](const Setting& setting, const Parameters&) {
                                      const auto horizon = static_cast<double>(setting.horizon);
                                      return 0.1 * std::sqrt(std::log(horizon) / horizon);
                                    }},
    .minimum = 0,
    .maximum = 1};
inline constexpr Parameter kGlrKlUcbParameters[] = {kGlrKlUcbDelta, kGlrKlUcbAlpha, kKlUcbC};

GlrKlUcb make_glr_kl_ucb(const Setting& setting, const Parameters& parameters);

}  // namespace longrun
