#pragma once

#include <vector>

#include "longrun/base/running_sum.h"
#include "longrun/policy/ledger.h"
#include "longrun/policy/parameters.h"
#include "longrun/policy/restriction.h"

namespace longrun {

/// Algorithm 1 of Heidari, Kearns & Roth (2016), for rising concave curves: pulls the surviving arms in turn. After
/// every full round with n >= 2 pulls each, it drops an arm whose optimistic total over the whole horizon,
///   q_i = F_i(n) + sum_{s=1..T-n} min(1, f_i(n) + s (f_i(n) - f_i(n-1))),
/// is below the pessimistic total p_j = F_j(n) + (T - n) f_j(n) of another survivor. The last survivor gets all
/// remaining pulls. Under noise every arm may be below another one: then the arm with the largest p survives.
///
/// A round is complete when the smallest number of rewards of any survivor grows. Each arm's totals use its own number
/// of pulls; a lost pull counts as paid like the one before it. Restricted to some arms it pulls the survivor of them
/// with the fewest pulls or, if none of them survives, the arm with the largest p. It ignores costs.
class Increasing {
 public:
  explicit Increasing(const Setting& setting);

  Arm choose();
  Arm choose(const Restriction& restriction);
  void observe(Arm arm, double reward);
  void lose(Arm arm);

  /// Adds an arm that survives. No arm is dropped until the new one has more rewards than there are complete rounds.
  void add_arm();
  /// Adds to the horizon. Dropped arms stay dropped.
  void extend(Pulls pulls);
  /// Sets the number of pulls still to be made (Ledger).
  void set_remaining(Pulls remaining) { ledger_.set_remaining(remaining); }

  template <class Visit>
  decltype(auto) visit_fields(Visit&& visit) {
    return visit(ledger_, states_, survivors_, rounds_);
  }

 private:
  struct State {
    RunningSum sum;   // F(n)
    double last = 0;  // f(n)
    double step = 0;  // f(n) - f(n-1)
    Pulls gap = 1;    // pulls from the last reward to the next

    template <class Visit>
    decltype(auto) visit_fields(Visit&& visit) {
      return visit(sum, last, step, gap);
    }
  };
  double pessimistic_total(Arm arm) const;
  double optimistic_total(Arm arm) const;
  Pulls fewest_rewards() const;
  void drop_dominated();

  Ledger ledger_;
  std::vector<State> states_;   // by arm
  std::vector<Arm> survivors_;  // ascending, at least one
  Pulls rounds_ = 0;            // complete rounds so far
};

inline Increasing make_increasing(const Setting& setting, const Parameters&) { return Increasing(setting); }

}  // namespace longrun
