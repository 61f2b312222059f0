#pragma once

#include <optional>
#include <span>
#include <vector>

#include "longrun/base/types.h"
#include "longrun/decide/advice/arm_report.h"
#include "longrun/decide/advice/misfit.h"
#include "longrun/decide/advice/outliers.h"
#include "longrun/decide/advice/question.h"
#include "longrun/decide/constrained_policy.h"
#include "longrun/decide/study/study.h"

namespace longrun {

/// The state of a question's allocation after its history.
struct Standing {
  Study study;                                   ///< has observed the history
  ArmReports reports;                            ///< of the same rewards
  Pulls remaining = 0;                           ///< pulls that the rest of the budget buys at most
  std::vector<Pulls> pending{};                  ///< by arm: pulls of the history whose reward is not known yet
  std::vector<Outlier> outliers{};               ///< rewards that were observed as `typical`
  std::vector<Outlier> doubtful{};               ///< others that look like mistakes, and were observed as they are
  std::vector<std::optional<Misfit>> misfits{};  ///< by arm
  History counted{};  ///< the history as it was observed: rewards before the end of a misfit are lost, if they do not
                      ///< count any more
};

/// The order in which the pulls of different arms are observed. That of the pulls of one arm is always the history's.
enum class ObservedOrder {
  /// The first pulls of all arms, by their labels, then the second pulls of all, and so on. Arms change only when they
  /// are pulled, so the order of rows between arms carries no information, and the answer must not depend on it. Only
  /// policies whose estimates are those of kDefaultPolicy observe in this order: others, with a sliding window for
  /// example, are defined by the order of all pulls.
  by_arm,
  of_history,  ///< that of all pulls: of a study that is being carried out
};

/// Returns the pulls of a history in the order ObservedOrder::by_arm.
std::vector<PastPull> pulls_by_arm(const History& history);

/// Observes the history of a question. Where the rewards of an arm clearly contradict the assumption of its estimates
/// and of kDefaultPolicy, by 6 standard errors, only those after the contradiction count; earlier ones are lost. That
/// holds for noisy rewards in the order ObservedOrder::by_arm: a study that is being carried out has counted them all.
/// Throws InputError for a history longer than the horizon, rewards that are not on the scale (check_rewards()),
/// constraints that cannot be met, and a policy that needs known curves.
Standing standing_of(const Question& question, ObservedOrder order = ObservedOrder::by_arm);

/// Returns the state of standing_of() in the order ObservedOrder::by_arm, without the estimates, in a fraction of the
/// time. Requires a question that standing_of() accepts.
ConstrainedPolicy state_of(const Question& question);

/// Returns the misfits of standing_of() in the order ObservedOrder::by_arm, by arm, in a fraction of the time. Throws
/// as standing_of() does.
std::vector<std::optional<Misfit>> find_misfits(const Question& question);

/// Returns the estimates if the first known rewards of `arm`, as many as `rewards` says, were lost as well. `standing`
/// is that of the question, found in the same order.
ArmReports reports_without(Question question, const Standing& standing, Arm arm, Pulls rewards, ObservedOrder order);

}  // namespace longrun
