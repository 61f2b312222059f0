#pragma once

#include <vector>

#include "longrun/base/types.h"
#include "longrun/decide/constrained_policy.h"

namespace longrun {

/// An arm that cannot have its minimum by the end any more.
struct UnmetMinimum {
  Arm arm = 0;
  Pulls least = 0;     ///< pulls by the end that its minimum and its share require
  Pulls so_far = 0;    ///< pulls made
  Pulls possible = 0;  ///< pulls by the end, if all that it can get go to it
};

/// The minima that the rest of a budget cannot meet. A history can make them impossible although they were possible at
/// the beginning.
struct UnmetMinima {
  std::vector<UnmetMinimum> arms{};  ///< ascending; each cannot be met, whatever the other arms get
  Pulls units_needed = 0;            ///< by all lacking pulls together
  Pulls units_left = 0;

  bool together() const { return units_needed > units_left; }  ///< whether they cannot all be met
};

/// Returns the minima that cannot be met after the pulls that `state` knows. Arms that are unavailable only now count
/// as available later.
UnmetMinima unmet_minima(const ConstrainedPolicy& state);

}  // namespace longrun
