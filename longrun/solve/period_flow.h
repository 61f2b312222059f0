#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "longrun/base/types.h"

namespace longrun {

/// Periods whose units can be spent only within them, one pull per unit.
struct Periods {
  std::vector<Pulls> units;                  ///< [period]
  std::vector<std::vector<bool>> available;  ///< [period][arm]: whether the arm can be pulled in the period
};

/// A maximum flow of budget units from arms to the periods in which each arm is available, grown arm by arm. An arm
/// never loses units, though they may move to other periods. An arm that can't be raised now can't be raised later.
/// O(arms * periods) per augmenting path.
class PeriodFlow {
 public:
  explicit PeriodFlow(Periods periods);

  /// Gives the arm up to `wanted` more units. Returns how many it got.
  Pulls raise(Arm arm, Pulls wanted);

  /// Returns, for each arm, whether one unit of `period` could be free if the arm had one unit less in total, while all
  /// others keep their totals. If the flow can leave a unit of the period free anyway, the answer is true for every
  /// arm, even for one without units.
  std::vector<bool> can_free_unit(std::size_t period) const;

 private:
  /// The step by which a search reached a period: `taker` would take units of it and give up as many of `from`.
  struct Hop {
    std::size_t taker;
    std::optional<std::size_t> from;
  };
  Pulls raise_by_one_path(std::size_t arm, Pulls wanted);

  std::vector<Pulls> free_;                   // [period], units that no arm has; >= 0
  std::vector<std::vector<bool>> available_;  // [period][arm]
  std::vector<std::vector<Pulls>> held_;      // [arm][period], units that the arm has; 0 where it is unavailable
};

}  // namespace longrun
