#pragma once

#include <algorithm>
#include <span>

#include "longrun/base/types.h"

namespace longrun {

/// Rounds `from` to `to`, both included; the first round is round 1.
struct RoundRange {
  Pulls from = 1;
  Pulls to = 1;
  bool operator==(const RoundRange&) const = default;
};

/// Returns whether `round` is in none of the ranges in which an arm is unavailable.
inline bool available(std::span<const RoundRange> unavailable, Pulls round) {
  return std::none_of(unavailable.begin(), unavailable.end(),
                      [round](const RoundRange& range) { return range.from <= round && round <= range.to; });
}

/// A budget that is granted round by round: `units_per_round` units in each, in the last one what is left of the
/// budget.
struct RoundBudget {
  Pulls units = 1;
  Pulls units_per_round = 1;

  Pulls rounds() const { return round_of(units); }
  /// Returns the units granted in rounds 1 to `round`.
  Pulls granted(Pulls round) const { return round >= rounds() ? units : round * units_per_round; }
  /// Returns the first round by whose end `count` >= 1 units have been granted.
  Pulls round_of(Pulls count) const { return (count - 1) / units_per_round + 1; }
};

}  // namespace longrun
