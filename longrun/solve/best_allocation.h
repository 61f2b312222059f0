#pragma once

#include <functional>
#include <string_view>
#include <vector>

#include "longrun/base/types.h"
#include "longrun/solve/allocation_table.h"

namespace longrun {

/// The arms, known exactly: `reward(arm, pull)` is f_arm(pull), defined for arms 0..arms-1 and pulls 1..horizon.
struct KnownArms {
  Arm arms = 0;
  Pulls horizon = 0;
  std::function<double(Arm, Pulls)> reward;
};

/// How an optimum was found. Every method is exact; the first three need curves of a certain shape, which is
/// checked. Deviations from the shape up to 10^-12 count as rounding noise of the curves; they cost at most 10^-12 per
/// pull.
enum class AllocationMethod {
  rising,            ///< no curve ever falls: one arm gets every pull
  falling,           ///< no curve ever rises: always the arm whose next reward is largest
  single_peaked,     ///< curves rise, then fall: about O(arms * horizon log horizon)
  dynamic_program,   ///< any curves, O(arms * horizon^2)
  branch_and_bound,  ///< any curves and arms that are away, see flow_allocation()
};
std::string_view name(AllocationMethod method);

/// The pull counts with the largest total reward among all with sum `horizon`.
struct Allocation {
  Pulls horizon = 0;
  double value = 0;
  std::vector<Pulls> pulls;
  AllocationMethod method = AllocationMethod::dynamic_program;
};

/// sum_i F_i(n_i), exactly summed.
double total_reward(const KnownArms& known, const std::vector<Pulls>& pulls);

/// OPT(horizon) = max sum_i F_i(n_i) over integer n_i >= 0 with sum n_i = horizon, where F_i(n) = f_i(1) + ... +
/// f_i(n). Chooses the fastest method whose assumption holds for these curves; for rising and for falling ones memory
/// does not grow with the horizon. The value is the exactly summed reward of the pulls. Throws InputError if there is
/// no arm or no pull, or if only tables or steps beyond reason would do.
Allocation best_allocation(const KnownArms& known);
/// The same over n_i >= least_i, the sum of which is at most the horizon: what must be pulled is taken off the curves,
/// which keep their shape, and the rest is shared.
Allocation best_allocation(const KnownArms& known, const std::vector<Pulls>& least);

/// The same by the plain dynamic program, whatever the curves: the reference the fast methods are tested against.
Allocation best_allocation_by_dynamic_program(const KnownArms& known);

/// The most rewards, arms times horizon, that a method keeps in a table. About 20 bytes each are needed at the peak:
/// some 6 GB. It also keeps pull counts within the 32 bits of an AllocationTable.
inline constexpr Pulls kMostTabulatedRewards = Pulls{1} << 28;

/// Throws the InputError that BestAllocations would throw for these arms, and computes no optimum.
void check_best_allocations(const KnownArms& known);

/// OPT(t) for every t = 0..horizon, from one pass.
class BestAllocations {
 public:
  explicit BestAllocations(const KnownArms& known);

  double value(Pulls horizon) const;
  Allocation at(Pulls horizon) const;  ///< O(arms), whatever the horizon
  AllocationMethod method() const { return method_; }

 private:
  void check_horizon(Pulls horizon) const;
  void set_milestones();
  std::vector<Pulls> greedy_pulls(Pulls horizon) const;

  Arm arms_ = 0;
  AllocationMethod method_ = AllocationMethod::dynamic_program;
  std::vector<double> values_;     // by horizon, from 0
  std::vector<Arm> arm_at_;        // rising: who gets all t pulls; falling: who gets pull t; otherwise empty
  std::vector<Pulls> milestones_;  // falling: the pulls of every arm after each stretch of arms_ pulls and a few more
  AllocationTable table_;          // for the other methods
};

}  // namespace longrun
