#pragma once

#include <vector>

#include "longrun/model/bandit.h"
#include "longrun/model/constraints.h"
#include "longrun/policy/choices.h"
#include "longrun/policy/ledger.h"
#include "longrun/policy/parameters.h"
#include "longrun/solve/best_allocation.h"

namespace longrun {

/// The curves of a bandit, for the solvers. Refers to the bandit.
KnownArms known_arms(const Bandit& bandit, Pulls horizon);

/// The exact optimum of a bandit whose curves are known: the yardstick of policy regret.
Allocation optimal_allocation(const Bandit& bandit, Pulls horizon);
/// The same among all that the constraints allow; the horizon is in units.
Allocation optimal_allocation(const Bandit& bandit, Pulls horizon, const Constraints& constraints);

/// optimum - earned. Both are sums of many rewards: a difference as little below 0 as their rounding counts as 0.
double policy_regret(double optimum, double earned);

/// Pulls every arm as often as `Setting::plan` says, first arm first; beyond the plan, the arm the plan ended with.
/// Pulls that the plan did not ask for are taken as they come. Restricted to some arms it pulls the first of them that
/// lacks pulls of the plan, or, where none does, the first of them.
class Optimal {
 public:
  explicit Optimal(const Setting& setting);

  Arm choose();
  Arm choose(const Choices& among);
  void observe(Arm arm, double reward);

 private:
  Ledger ledger_;
  std::vector<Pulls> plan_;
};

inline Optimal make_optimal(const Setting& setting, const Parameters&) { return Optimal(setting); }

}  // namespace longrun
