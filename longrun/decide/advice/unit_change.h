#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "longrun/base/types.h"
#include "longrun/model/history.h"

namespace longrun {

/// Rewards of one arm that seem to be in another unit than its other rewards, or than those of all other arms.
struct UnitChange {
  Arm arm = 0;
  std::optional<std::size_t> pull{};  ///< the first one after the change; nullopt if all rewards of the arm are so
  double factor = 1;  ///< a power of ten: of the later rewards and the earlier ones, or of the arm and the other arms
};

/// Returns the arms whose rewards step by a power of ten at one place, and those that differ by one from all other
/// arms, which share a level. Another unit changes the noise by the same factor, so that the logarithms of the rewards
/// keep their noise; an arm that truly jumps keeps the noise of its rewards. Only arms whose rewards are positive are
/// judged. O(rewards).
std::vector<UnitChange> find_unit_changes(const History& history);

}  // namespace longrun
