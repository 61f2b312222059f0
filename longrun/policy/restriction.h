#pragma once

#include <cstddef>
#include <span>

#include "longrun/base/types.h"

namespace longrun {

/// The arms that a choice is restricted to. A forced pull is a choice restricted to one arm: the policy counts it as
/// pending, like its own choices.
struct Restriction {
  std::span<const Arm> arms;       ///< ascending, at least one
  std::span<const Pulls> costs{};  ///< units per pull, of all arms of the problem; empty if all costs are equal

  /// Returns the index per unit of cost. An index that is not above 0 is returned unchanged, because dividing it would
  /// rank an expensive arm higher.
  double per_unit(double index, Arm arm) const {
    if (costs.empty() || !(index > 0)) return index;
    return index / static_cast<double>(costs[static_cast<std::size_t>(arm)]);
  }
};

}  // namespace longrun
