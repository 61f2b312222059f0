#pragma once

#include <cstddef>
#include <vector>

#include "longrun/base/types.h"
#include "longrun/model/bandit.h"
#include "longrun/model/constraints.h"
#include "longrun/policy/catalog.h"
#include "longrun/policy/setting.h"
#include "longrun/solve/best_allocation.h"

namespace longrun {

/// One run to be made. `setting.arms` and the bandit have the same number of arms.
struct RunSpec {
  PolicyChoice policy;
  Bandit bandit;
  Setting setting;
  Constraints constraints{};
};

/// The result of one run, and the optimum that it is compared with.
struct ComparedRun {
  std::vector<Pulls> pulls;    ///< of each arm
  std::vector<Arm> trace;      ///< the arm of each step; empty unless requested
  std::vector<Pulls> rounds;   ///< the round of each step; empty without constraints or trace
  Allocation best;             ///< the optimum under the same constraints
  double earned = 0;           ///< sum of the mean rewards of all pulls
  double regret = 0;           ///< policy regret: best.value - earned
  double per_step_regret = 0;  ///< regret / horizon
};

/// Runs the policy, under the constraints if there are any, and computes the exact optimum under the same constraints.
/// Throws InputError if the setting does not fit the bandit or no schedule meets the constraints.
ComparedRun play_and_compare(const RunSpec& spec, bool with_trace);

/// The arms of a bandit that are not single-peaked.
struct OtherShapes {
  std::size_t count = 0;
  std::size_t worst = 0;  ///< the arm that deviates most; 0 if there is none
  double deviation = 0;   ///< Shape::deviation of that arm
};

/// Finds the arms that are not single-peaked within Bandit::horizon. O(arms * horizon).
OtherShapes other_shapes(const Bandit& bandit);

}  // namespace longrun
