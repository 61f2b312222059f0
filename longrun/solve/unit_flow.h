#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "longrun/base/types.h"

namespace longrun {

/// Who can have how many units of periods in which not everybody is there: a maximum flow from arms to periods, grown
/// arm by arm. What an arm has been given it keeps, though perhaps from other periods; once an arm can't be given more
/// it never can. O(arms * periods) per path.
class UnitFlow {
 public:
  /// capacities[p] units of period p; there[p][arm] says whether the arm can have any of them.
  UnitFlow(std::vector<Pulls> capacities, std::vector<std::vector<bool>> there);

  /// Gives the arm up to `wanted` units more; returns how many.
  Pulls raise(Arm arm, Pulls wanted);

 private:
  struct Hop {  // how a period was reached: its units would go to `taker`, who gave up as many of `from`
    std::size_t taker;
    std::optional<std::size_t> from;
  };
  Pulls raise_by_one_path(std::size_t arm, Pulls wanted);

  std::vector<Pulls> spare_;  // by period
  std::vector<std::vector<bool>> there_;
  std::vector<std::vector<Pulls>> given_;  // [arm][period]
};

}  // namespace longrun
