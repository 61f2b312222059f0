#pragma once

#include <vector>

#include "longrun/policy/index_policy.h"
#include "longrun/policy/parameters.h"
#include "longrun/policy/statistics/kl_bounds.h"

namespace longrun {

/// Returns the exploration ln t + c ln(ln t) of KL-UCB at time t >= 1, at least 0.
double kl_exploration(double t, double c);

/// The index rule of KL-UCB (Garivier & Cappe 2011), for rewards in [0, 1] whose means do not change: the largest mean
/// q with n kl(m, q) <= ln t + c ln(ln t), for n rewards with mean m, where kl is the divergence of Bernoulli
/// distributions and t is the number of the pull about to be made (KlBounds). Asymptotically optimal for rewards of 0
/// or 1, and better than UCB for all others in [0, 1]. It does not use the noise: if that is small, it explores more
/// than necessary. Every arm is pulled once first.
///
/// Rewards outside [0, 1] count as the nearer end. If all arms have the same noise, this does not change which arm is
/// best, because a larger mean has larger rewards. t counts rewards; lost pulls are left out. A step takes O(arms),
/// with few logarithms: an arm whose tangent is below the largest index is left out.
class KlUcbRule {
 public:
  static constexpr bool kIndexMayGrow = true;

  KlUcbRule(const Setting& setting, double c) : c_(c), bounds_(setting.arms) {}

  Pulls initial_pulls() const { return 1; }
  void observe(Arm arm, double reward, const Ledger&) { bounds_.add(arm, reward); }
  void prepare(const Ledger& ledger) { exploration_ = kl_exploration(static_cast<double>(ledger.made() + 1), c_); }
  double index(Arm arm, const Ledger&) const { return bounds_.bound(arm, exploration_); }
  Arm best() const {
    return bounds_.best([this](Arm) { return exploration_; });
  }
  double index_from_zero(double index) const { return 1 + index; }

  void add_arm() { bounds_.add_arm(); }

  template <class Visit>
  decltype(auto) visit_fields(Visit&& visit) {
    return visit(bounds_);
  }

 private:
  double c_;
  mutable KlBounds bounds_;  // index() stores a tangent, which changes no index
  double exploration_ = 0;   // as of the last prepare()
};

using KlUcb = IndexPolicy<KlUcbRule>;

inline constexpr Parameter kKlUcbC{
    .name = "c",
    .meaning = "weight of ln(ln t) in the exploration; the authors' proof has 3, their recommendation is 0",
    .default_value = 0.0,
    .minimum = 0,
    .maximum = 1e9};
inline constexpr Parameter kKlUcbParameters[] = {kKlUcbC};

KlUcb make_kl_ucb(const Setting& setting, const Parameters& parameters);

}  // namespace longrun
