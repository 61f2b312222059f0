#pragma once

#include <optional>

#include "longrun/model/history.h"

namespace longrun {

/// A change of the rewards of all arms in time, such as a season. No single-peaked curves of their own pulls explain
/// it. Arms that are pulled equally often and grow slowly first and faster later, all of them, look the same.
struct CommonChange {
  double sd = 0;        ///< of the change, in the unit of the rewards
  double noise_sd = 0;  ///< of the rest, which the arms do not have in common
};

/// Returns the change that different arms have in common, or nullopt if there is none, or none that is clear. The order
/// of the pulls is that of time.
///
/// A single-peaked curve is fitted to each arm with at least ten rewards that differ from its most frequent one. Where
/// only their own pulls change the arms, the residuals of different arms are independent, even if the choices depend on
/// earlier rewards: the product of a residual and the sum of those of other arms among the eight pulls before it has
/// the mean 0. A common change makes the mean positive. It is clear if the sum of the products exceeds 4 standard
/// errors. At most the newest 20,000 rewards count. O(rewards) for long histories.
std::optional<CommonChange> find_common_change(const History& history);

}  // namespace longrun
