#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "longrun/experiment/config.h"

namespace longrun {

/// A unit of one of several experiments.
struct QueuedUnit {
  std::size_t experiment = 0;  ///< index into the list of experiments
  std::size_t unit = 0;        ///< its number, see unit_at()

  friend bool operator==(const QueuedUnit&, const QueuedUnit&) = default;
};

/// Returns the order in which to compute units so that threads seldom wait for each other. `missing[e]` are the units
/// of experiment e, ascending. First come the units whose runs others repeat: without noise, the first unit of a bandit
/// makes the runs of all policies that are not randomized. Then come whole experiments, so that the first ones are
/// complete, and can be drawn, while others are computed; those with the longest units first, and in each the longest
/// units first.
std::vector<QueuedUnit> computing_order(std::span<const Config> configs,
                                        const std::vector<std::vector<std::size_t>>& missing);

}  // namespace longrun
