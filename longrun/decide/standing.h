#pragma once

#include <vector>

#include "longrun/base/types.h"
#include "longrun/decide/arm_report.h"
#include "longrun/decide/outliers.h"
#include "longrun/decide/question.h"
#include "longrun/decide/study.h"

namespace longrun {

/// The state of a question's allocation after its history.
struct Standing {
  Study study;                      ///< has observed the history
  ArmReports reports;               ///< of the same rewards
  Pulls remaining = 0;              ///< pulls that the rest of the budget buys at most
  std::vector<Pulls> pending{};     ///< by arm: pulls of the history whose reward is not known yet
  std::vector<Outlier> outliers{};  ///< rewards that were observed as `typical`
};

/// Observes the history of a question. Throws InputError for a history longer than the horizon, rewards that are not on
/// the scale (check_rewards()), constraints that cannot be met, and a policy that needs known curves.
Standing standing_of(const Question& question);

}  // namespace longrun
