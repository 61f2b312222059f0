#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "longrun/base/types.h"

namespace longrun {

/// A past pull and its reward.
struct PastPull {
  Arm arm = 0;
  std::optional<double> reward = 0.0;  ///< nullopt while it is pending: the pull was made, its reward is not known yet
  std::int64_t line = 0;               ///< the line that it was read from, from 1; 0 if it was not read from a file
  bool lost = false;                   ///< whether the reward will never be known; it is nullopt then
  bool operator==(const PastPull&) const = default;
};

/// A round of a file: its rows are pulls first_pull to end_pull - 1 of the history.
struct LoggedRound {
  Pulls round = 0;  ///< its number in the file
  Pulls first_pull = 0;
  Pulls end_pull = 0;
  bool operator==(const LoggedRound&) const = default;
};

/// The past pulls of some arms.
struct History {
  /// One label per arm, all different. An arm with an empty label is called by its position, from 0.
  std::vector<std::string> arm_names;
  std::vector<PastPull> pulls;          ///< in order
  std::vector<std::string> warnings{};  ///< what may be a mistake in the file that it was read from, a line each
  std::vector<LoggedRound> rounds{};    ///< as the file states them; empty if it does not
  bool order_confirmed = false;         ///< whether rounds, times or dates of the file say that the pulls are in order

  Arm arms() const { return static_cast<Arm>(arm_names.size()); }
};

}  // namespace longrun
