#pragma once

#include <cstddef>
#include <span>

#include "longrun/base/types.h"

namespace longrun {

/// The arms that a choice is restricted to. A forced pull is a choice among one arm: the policy then counts it as in
/// flight, like any of its own.
struct Restriction {
  std::span<const Arm> arms;       ///< ascending, at least one
  std::span<const Pulls> costs{};  ///< units per pull, of every arm there is; empty where they are all the same

  /// What an index is worth per unit of cost. One that is not above 0 stays as it is: dividing would make it look
  /// better.
  double per_unit(double index, Arm arm) const {
    if (costs.empty() || !(index > 0)) return index;
    return index / static_cast<double>(costs[static_cast<std::size_t>(arm)]);
  }
};

}  // namespace longrun
