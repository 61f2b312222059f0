#pragma once

#include <vector>

#include "longrun/base/types.h"
#include "longrun/solve/best_allocation.h"
#include "longrun/solve/period_flow.h"

namespace longrun {

/// Returns the counts n_i >= least_i that the periods allow with the largest sum_i F_i(n_i), for rewards >= 0. The F_i
/// may be any functions, so this is hard in general (set packing is a special case). Exact, by branch and bound: over a
/// box of counts every F_i is replaced by its concave envelope, for which greedy steps are optimal because the counts
/// that the periods allow form a polymatroid; the box is split where the envelope is furthest above the curve. If the
/// periods allow the optimum of the problem without periods, that is the result. `known.horizon` is the number of units
/// of all periods. Values equal the optimum up to rounding, 10^-12 per pull. Throws InputError if `least` is impossible
/// or the computation takes too many steps.
Allocation flow_allocation(const KnownArms& known, const std::vector<Pulls>& least, const Periods& periods);

}  // namespace longrun
