#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "longrun/decide/advice/outliers.h"
#include "longrun/model/history.h"

namespace longrun {

/// A step of the rewards of all arms, or nearly all, at the same place of a history, such as a change of their unit or
/// an event that concerns every arm.
struct CommonStep {
  std::size_t pull = 0;              ///< the first pull after it: its place in the history
  std::optional<std::size_t> end{};  ///< the first pull after a second step, which takes the first one back
  Arm arms = 0;                      ///< arms that change so
  Arm judged = 0;                    ///< arms with enough rewards before and after the step
  double before = 0;                 ///< mean of the judged arms' levels right before the step, by their lines
  double after = 0;                  ///< and right after it
  std::optional<double> factor{};    ///< a power of ten, if the rewards of every judged arm change by about this factor
};

/// Returns the clearest step that the arms have in common, or nullopt if there is none, or none that is clear. The
/// order of the pulls is that of time.
///
/// Two lines are fitted to each arm with at least ten rewards, before and after every place of the history, in windows
/// of 3 to 144 rewards each. An arm steps if the lines differ where they meet by more than each of them changes in its
/// window, so that a steep curve, or a bend, is no step. The difference counts in standard errors, at most 4 per arm,
/// so that no arm makes a step alone. If the differences at other places are larger than independent noise makes them,
/// as those of autocorrelated noise and of a season are, it counts in units of these. A step is clear if at least two
/// arms are judged, at least 4 of 5 of these change in the same direction, and fit no other place nearby much better,
/// and the sum of their standard errors exceeds 4.5 times the square root of their number. Arms that change suddenly by
/// their own pulls, within a few rows of each other, look the same: of two arms, this may happen by chance. A step of
/// less than 3 standard deviations of a change in common that is left without it, such as a season, is a part of that
/// change. At most the newest 20,000 rewards count. O(rewards).
std::optional<CommonStep> find_common_step(const History& history);
/// Returns the same of a history whose outliers, if they hide the step, count as what is typical.
std::optional<CommonStep> find_common_step(const History& history, std::span<const Outlier> outliers);

/// Pulls of a history: those from `begin` to before `end`.
struct PartOfHistory {
  std::size_t begin = 0;
  std::size_t end = 0;
};
/// Returns the pulls that are left out if a step is no change of the arms: those between it and the one that takes it
/// back, or those before it.
PartOfHistory pulls_in_question(const CommonStep& step);
/// Returns the far rewards without the doubtful ones of the part that the step changes: between it and the one that
/// takes it back, or on the shorter side of it. Their arms do not have such rewards by mistake one by one.
FarRewards without_changed_part(FarRewards far, const CommonStep& step, const History& history);

}  // namespace longrun
