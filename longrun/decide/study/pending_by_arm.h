#pragma once

#include <deque>
#include <optional>
#include <unordered_map>

#include "longrun/decide/study/study.h"

namespace longrun {

/// The pending decisions of a study by arm, for rewards that name only the arm.
class PendingByArm {
 public:
  /// Returns the oldest decision of the arm that is pending in `study`, or nullopt if none is. All calls must have the
  /// same study, or a copy of it, in which decisions are settled meanwhile, and made only if add() is told. The first
  /// call takes O(pending), a further one amortised O(log pending).
  std::optional<DecisionId> oldest(Arm arm, const Study& study);
  /// Adds a decision that was made in the study since.
  void add(Arm arm, DecisionId decision);

 private:
  bool is_read_ = false;
  std::unordered_map<Arm, std::deque<DecisionId>> decisions_;  // ascending; settled ones are dropped once they are met
};

}  // namespace longrun
