#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "longrun/policy/lazy_argmax.h"
#include "longrun/policy/ledger.h"
#include "longrun/policy/parameters.h"
#include "longrun/policy/restriction.h"

namespace longrun {

/// PTRR (Blum & Ravichandran 2024, improving bandits), for rising concave arms without noise: takes the arms in random
/// order and pulls arm i as long as the reward of its n-th pull is
///   f_i(n) >= m ((n-1) / tau)^a,   tau = T - N (at least 1);
/// else it drops the arm for good. After tau pulls the threshold stays at m. When every arm has been dropped, m was too
/// high for all of them, and the arm with the largest last reward is pulled.
///
/// The authors compare with m (n / tau)^a, for curves that are 0 before their first pull. Here many curves are 0 at
/// their first pull (inc_1, recommender) and would be dropped at once. With n-1, the pulls made before, no arm is
/// dropped sooner than by the authors' rule, and later only if it lags behind their threshold by less than one pull.
///
/// m is an assumed reward of the best arm at the end; a bends the threshold. With a = 1 a concave arm that reaches m
/// within tau pulls is never dropped: it lies above its own chord, and that above the threshold. A smaller a drops slow
/// starters sooner and suits arms that rise steeply at first. Hence the defaults: a = 1, which is safe for all concave
/// arms, and m = 1, the largest possible mean reward. With m = 1 no arm is kept to the end unless its reward reaches
/// 1; an arm that levels off at c < 1 is dropped after about c tau pulls. A lower m would keep the first arm that
/// reaches it. The analysis is noise-free; under noise a single low observation drops an arm.
///
/// A lost pull drops no arm. Restricted to some arms it acts as if the order had no others; if all of them have been
/// dropped, it pulls the one of them with the largest last reward. It ignores costs.
class Ptrr {
 public:
  Ptrr(const Setting& setting, double m, double a);

  Arm choose();
  Arm choose(const Restriction& restriction);
  void observe(Arm arm, double reward);
  void lose(Arm arm) { ledger_.add_lost(arm); }

  /// Adds an arm at the end of the order.
  void add_arm();
  /// Adds to tau. Dropped arms stay dropped.
  void extend(Pulls pulls) { ledger_.extend(pulls); }
  /// Sets the number of pulls still to be made (Ledger), and tau with it.
  void set_remaining(Pulls remaining) { ledger_.set_remaining(remaining); }

  template <class Visit>
  decltype(auto) visit_fields(Visit&& visit) {
    return visit(ledger_, order_, position_, dropped_, last_rewards_);
  }

 private:
  bool dropped(Arm arm) const { return dropped_[static_cast<std::size_t>(arm)] != 0; }
  double threshold(Pulls pulls) const;

  double m_;
  double a_;
  Arm first_arms_;  // N of tau: the arms at the start
  Ledger ledger_;
  std::vector<Arm> order_;             // a permutation of all arms
  std::size_t position_ = 0;           // in order_; all arms at earlier positions have been dropped
  std::vector<std::uint8_t> dropped_;  // by arm
  LazyArgmax last_rewards_;            // of the dropped arms
};

inline constexpr Parameter kPtrrM{.name = "m",
                                  .meaning = "assumed reward of the best arm at the horizon",
                                  .default_value = 1.0,
                                  .minimum = 0,
                                  .maximum = 1};
inline constexpr Parameter kPtrrA{.name = "a",
                                  .meaning = "exponent of the threshold m ((n-1) / (horizon - arms))^a for pull n",
                                  .default_value = 1.0,
                                  .minimum = 1e-9,
                                  .maximum = 1};
inline constexpr Parameter kPtrrParameters[] = {kPtrrM, kPtrrA};

Ptrr make_ptrr(const Setting& setting, const Parameters& parameters);

}  // namespace longrun
