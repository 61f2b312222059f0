#include "longrun/decide/unmet_minima.h"

#include <algorithm>

namespace longrun {
namespace {

/// Returns the units that rounds from `next` on let `arm` spend, if `left` are left.
Pulls spendable(const ResolvedConstraints& constraints, Arm arm, Pulls next, Pulls left) {
  const RoundBudget& budget = constraints.budget();
  const std::vector<RoundRange>& ranges = constraints.unavailable()[static_cast<std::size_t>(arm)];
  if (ranges.empty()) return left;
  if (constraints.units_lapse()) {  // only those of its own rounds
    Pulls lost = 0;
    for (const RoundRange& range : ranges) {
      if (range.to >= next) lost += budget.granted(range.to) - budget.granted(std::max(range.from, next) - 1);
    }
    return std::max<Pulls>(0, left - lost);
  }
  // Units of rounds in which it is unavailable are kept until its last round.
  const Pulls last = constraints.last_available(arm);
  if (last < next) return 0;
  return std::clamp<Pulls>(left - (budget.units - budget.granted(last)), 0, left);
}

}  // namespace

UnmetMinima unmet_minima(const ConstrainedPolicy& state) {
  const ResolvedConstraints& constraints = state.constraints();
  UnmetMinima unmet{.units_left = std::max<Pulls>(0, state.unspent() + state.committed())};
  const Pulls next = constraints.budget().round_of(constraints.horizon() - unmet.units_left + 1);
  for (Arm arm = 0; arm < constraints.arms(); ++arm) {
    const Pulls so_far = state.issued(arm) - state.saved_for(arm);
    const Pulls lacking = state.least(arm) - so_far;
    if (lacking <= 0) continue;
    unmet.units_needed += lacking * constraints.cost(arm);
    const Pulls possible = so_far + spendable(constraints, arm, next, unmet.units_left) / constraints.cost(arm);
    if (possible >= state.least(arm)) continue;
    unmet.arms.push_back({.arm = arm, .least = state.least(arm), .so_far = so_far, .possible = possible});
  }
  return unmet;
}

}  // namespace longrun
