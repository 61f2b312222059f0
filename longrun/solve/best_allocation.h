#pragma once

#include <functional>
#include <string_view>
#include <vector>

#include "longrun/base/types.h"
#include "longrun/solve/allocation_table.h"

namespace longrun {

/// Arms whose curves are known exactly: `reward(arm, pull)` is f_arm(pull), for arms 0..arms-1 and pulls 1..horizon.
struct KnownArms {
  Arm arms = 0;
  Pulls horizon = 0;
  std::function<double(Arm, Pulls)> reward;
};

/// The method that found an optimum. Every method is exact. The first three need curves of a certain shape, which is
/// checked. Deviations from the shape up to 10^-12 count as rounding errors of the curves; they cost at most 10^-12 per
/// pull.
enum class AllocationMethod {
  rising,            ///< no curve ever falls: one arm gets every pull
  falling,           ///< no curve ever rises: always the arm whose next reward is largest
  single_peaked,     ///< curves rise, then fall: about O(arms * horizon log horizon)
  dynamic_program,   ///< any curves, O(arms * horizon^2)
  branch_and_bound,  ///< any curves, where units lapse: see flow_allocation()
};
std::string_view name(AllocationMethod method);  ///< Returns its name in results, such as "single-peaked".

/// The pull counts with the largest total reward of all counts whose sum is `horizon`, or that constraints allow.
struct Allocation {
  Pulls horizon = 0;
  double value = 0;  ///< the total reward
  std::vector<Pulls> pulls;
  AllocationMethod method = AllocationMethod::dynamic_program;
};

/// Returns sum_i F_i(n_i), exactly summed.
double total_reward(const KnownArms& known, const std::vector<Pulls>& pulls);

/// Returns OPT(horizon) = max sum_i F_i(n_i) over integer n_i >= 0 with sum n_i = horizon, where F_i(n) = f_i(1) + ...
/// + f_i(n). Chooses the fastest method whose assumption holds for these curves; for rising and for falling ones memory
/// does not grow with the horizon. The value is the exactly summed reward of the pulls. Throws InputError if `known`
/// has no arm or no pull, or if the problem needs tables that are too large or too many steps.
Allocation best_allocation(const KnownArms& known);
/// Returns the same over n_i >= least_i, whose sum must be at most the horizon. The first least_i pulls are removed
/// from each curve, which keeps its shape, and the remaining pulls are allocated.
Allocation best_allocation(const KnownArms& known, const std::vector<Pulls>& least);

/// Returns the same by the plain dynamic program, for any curves: the reference for tests of the faster methods.
Allocation best_allocation_by_dynamic_program(const KnownArms& known);

/// The most rewards, arms times horizon, that a method keeps in a table. Each needs at most about 20 bytes, 6 GB in
/// all. The limit also keeps pull counts within the 32 bits of an AllocationTable.
inline constexpr Pulls kMostTabulatedRewards = Pulls{1} << 28;

/// Throws the InputError that BestAllocations would throw for these arms. Computes no optimum.
void check_best_allocations(const KnownArms& known);

/// The optima OPT(t) for every t = 0..horizon, computed in one pass.
class BestAllocations {
 public:
  explicit BestAllocations(const KnownArms& known);

  /// Returns OPT(horizon). Throws InputError for a horizon that was not computed.
  double value(Pulls horizon) const;
  /// Returns the optimum for the horizon. Throws InputError for a horizon that was not computed. O(arms).
  Allocation at(Pulls horizon) const;
  AllocationMethod method() const { return method_; }

 private:
  void check_horizon(Pulls horizon) const;
  void set_milestones();
  std::vector<Pulls> greedy_pulls(Pulls horizon) const;

  Arm arms_ = 0;
  AllocationMethod method_ = AllocationMethod::dynamic_program;
  std::vector<double> values_;     // [t], t = 0..horizon
  std::vector<Arm> arm_at_;        // [t], rising: the arm of all t pulls; falling: the arm of pull t; otherwise empty
  std::vector<Pulls> milestones_;  // falling: the pulls of every arm at each multiple of milestone_distance(arms_)
  AllocationTable table_;          // for the other methods
};

}  // namespace longrun
