#include "longrun/decide/study/pending_by_arm.h"

namespace longrun {

std::optional<DecisionId> PendingByArm::oldest(Arm arm, const Study& study) {
  if (!is_read_) {
    for (const Study::Pending& each : study.pending()) decisions_[each.arm].push_back(each.id);
    is_read_ = true;
  }
  const auto found = decisions_.find(arm);
  if (found == decisions_.end()) return std::nullopt;
  std::deque<DecisionId>& decisions = found->second;
  while (!decisions.empty() && !study.is_pending(decisions.front())) decisions.pop_front();
  return decisions.empty() ? std::nullopt : std::optional(decisions.front());
}

void PendingByArm::add(Arm arm, DecisionId decision) {
  if (is_read_) decisions_[arm].push_back(decision);  // else oldest() reads it
}

}  // namespace longrun
