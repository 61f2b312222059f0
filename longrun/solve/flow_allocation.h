#pragma once

#include <vector>

#include "longrun/base/types.h"
#include "longrun/solve/best_allocation.h"
#include "longrun/solve/period_flow.h"

namespace longrun {

/// max sum_i F_i(n_i) over n_i >= least_i that the periods can give, for rewards >= 0. Each F_i may be anything, so
/// this is hard in general (to pack sets is a case of it). Exact, by branch and bound: over a box of counts every F_i
/// is replaced by its concave envelope, for which greedy steps are optimal because what the periods can give is a
/// polymatroid; the box is split where the envelope is furthest above the curve. Where the unconstrained optimum is
/// possible, that is it. `known.horizon` is the number of pulls of all periods. Values are equal to the optimum but for
/// rounding, 10^-12 per pull. Throws InputError where the least pulls are not possible, or it takes too many steps.
Allocation flow_allocation(const KnownArms& known, const std::vector<Pulls>& least, const Periods& periods);

}  // namespace longrun
