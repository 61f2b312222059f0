#pragma once

#include <vector>

#include "longrun/solve/feasibility.h"
#include "longrun/solve/period_flow.h"

namespace longrun {

/// Feasibility where unspent units lapse at the end of their round, and every pull costs 1. A schedule with n_i pulls
/// of every arm exists if and only if there is a flow that takes n_i units from every arm to periods in which it is
/// available. A period is a stretch of rounds in which the same arms are available.
class LapsingBudget : public Feasibility {
 public:
  explicit LapsingBudget(ScheduleRules rules);

  std::optional<std::string> obstacle(std::span<const Pulls> least, const ScheduleWords& words) const override;
  std::optional<std::string> obstacle(const ScheduleState& state, const ScheduleWords& words) const override;
  void find_allowed(const ScheduleState& state, std::vector<Arm>& allowed) const override;
  Pulls lapsing(Pulls round, Pulls gone) const override;
  Allocation best_allocation(const KnownArms& known, std::span<const Pulls> least) const override;

 private:
  /// Returns the periods from `round` on, with `left` units left in that round.
  Periods periods_from(Pulls round, Pulls left) const;
  std::vector<bool> arms_to_catch_up(const ScheduleState& state) const;
  /// Returns, for each arm, whether it is available in `round`.
  std::vector<bool> available(Pulls round) const;

  std::vector<Pulls> starts_;  // the first round of every period, ascending; the first is 1
};

}  // namespace longrun
