#pragma once

#include <vector>

#include "longrun/base/running_sum.h"
#include "longrun/policy/ledger.h"
#include "longrun/policy/parameters.h"
#include "longrun/policy/restriction.h"

namespace longrun {

/// Algorithm 1 of Heidari, Kearns & Roth (2016), for rising concave curves: pulls the surviving arms in turn; after
/// every full round with n >= 2 pulls each, an arm whose optimistic total over the whole horizon,
///   q_i = F_i(n) + sum_{s=1..T-n} min(1, f_i(n) + s (f_i(n) - f_i(n-1))),
/// is below some other survivor's pessimistic total p_j = F_j(n) + (T - n) f_j(n) is dropped; the last survivor gets
/// the rest. Under noise every arm may be below another: then the one with the largest p stays.
///
/// Outside the play loop: the survivor with the fewest pulls, those in flight included, is next, and a round is
/// complete when the fewest rewards of any survivor have become more; each arm's totals use its own number of rewards.
/// Restricted to some arms it pulls the survivor among them with the fewest pulls, or, where none of them survives, the
/// one with the largest p. It takes no account of costs.
class Increasing {
 public:
  explicit Increasing(const Setting& setting);

  Arm choose();
  Arm choose(const Restriction& among);
  void observe(Arm arm, double reward);

 private:
  struct State {
    RunningSum sum;
    double last = 0;
    double step = 0;
  };
  double pessimistic_total(Arm arm) const;
  double optimistic_total(Arm arm) const;
  Arm next(const Restriction& among) const;
  Pulls fewest_rewards() const;
  void drop_dominated();

  Pulls horizon_;
  Ledger ledger_;
  std::vector<State> states_;
  std::vector<Arm> survivors_;
  Pulls rounds_ = 0;  // complete ones
};

inline Increasing make_increasing(const Setting& setting, const Parameters&) { return Increasing(setting); }

}  // namespace longrun
