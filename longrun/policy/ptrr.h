#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "longrun/policy/lazy_argmax.h"
#include "longrun/policy/ledger.h"
#include "longrun/policy/parameters.h"
#include "longrun/policy/restriction.h"

namespace longrun {

/// PTRR (Blum & Ravichandran 2024, improving bandits), for rising concave arms without noise: goes through the arms in
/// random order and pulls arm i as long as its n-th pull paid
///   f_i(n) >= m ((n-1) / tau)^a,   tau = T - N (at least 1);
/// else leaves it for good. From tau pulls on the threshold stays m. When every arm has been left, m was too high for
/// any of them, and the arm with the largest last reward is pulled.
///
/// The authors compare with m (n / tau)^a, for curves that are 0 before their first pull. Here many are 0 at their
/// first (inc_1, recommender), and each of those would be left at once. With n-1, the pulls made before, no arm is left
/// sooner than by the authors' rule, and later only where it lags behind their threshold by less than one pull.
///
/// m is a guess of the best arm's reward at the end, a bends the threshold. With a = 1 a concave arm that reaches m
/// within tau pulls is never left: it lies above its own chord, and that above the threshold. A smaller a leaves slow
/// starters sooner and is for arms that rise steeply at first. Hence the defaults: a = 1, which is safe for all concave
/// arms, and m = 1, the largest mean reward there can be, with which no arm is kept to the end that is not as good as
/// any; one that ends at c < 1 is left after about c tau pulls. A lower m would keep the first arm that reaches it.
/// The analysis is noise-free; under noise one low observation is enough for an arm to be left.
///
/// Outside the play loop: an arm whose first rewards are all in flight waits for them, and the next in the order is
/// suggested; where all that are not left wait, the one of them issued fewest pulls. Whatever comes in of an arm,
/// asked for or not, is tested as its next pull.
/// Restricted to some arms it does the same as if the order had no others; where all of them have been left, it pulls
/// the one of them with the largest last reward. It takes no account of costs.
class Ptrr {
 public:
  Ptrr(const Setting& setting, double m, double a);

  Arm choose();
  Arm choose(const Restriction& among);
  void observe(Arm arm, double reward);

 private:
  Arm next();
  Arm next(const Restriction& among) const;
  Arm next_while_in_flight() const;
  bool left(Arm arm) const { return left_[static_cast<std::size_t>(arm)] != 0; }
  bool waits(Arm arm) const { return ledger_.pulls(arm) == 0 && ledger_.in_flight(arm) > 0; }
  double threshold(Pulls pulls) const;

  double m_;
  double a_;
  double tau_;
  Ledger ledger_;
  std::vector<Arm> order_;
  std::size_t position_ = 0;  // all arms before it have been left
  std::vector<std::uint8_t> left_;
  LazyArgmax left_arms_;  // by their last reward
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
