#pragma once

#include <vector>

#include "longrun/solve/feasibility.h"

namespace longrun {

/// Feasibility where unspent units are kept. Only an arm's last available round then limits it, because all its pulls
/// can wait until that round. So a schedule with n_i pulls of every arm exists if and only if, for every round r,
///   sum of cost_i n_i over all arms whose last round is r or earlier  <=  granted(r),
/// and the same inequality with owed pulls decides whether all minima can be met from a given state.
class KeptBudget : public Feasibility {
 public:
  explicit KeptBudget(ScheduleRules rules);

  std::optional<std::string> obstacle(std::span<const Pulls> least, const ScheduleWords& words) const override;
  std::optional<std::string> obstacle(const ScheduleState& state, const ScheduleWords& words) const override;
  void find_allowed(const ScheduleState& state, std::vector<Arm>& allowed) const override;
  Pulls lapsing(Pulls, Pulls) const override { return 0; }
  Allocation best_allocation(const KnownArms& known, std::span<const Pulls> least) const override;

 private:
  struct Deadline {
    Pulls round;  // the last round of some arm that is owed pulls
    Pulls spare;  // units that may be spent by then on pulls that are not owed by then
  };
  std::vector<Deadline> deadlines(const ScheduleState& state) const;
  bool allowed(Arm arm, const ScheduleState& state, std::span<const Deadline> deadlines) const;
  Pulls last_round(Arm arm) const { return last_rounds_[static_cast<std::size_t>(arm)]; }

  std::vector<Pulls> last_rounds_;  // [arm], the last round in which it is available; 0 if there is none
  std::vector<Arm> by_last_round_;  // all arms, ascending by last round, then by number
};

}  // namespace longrun
