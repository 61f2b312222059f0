#pragma once

#include <cstddef>
#include <vector>

namespace longrun {

/// Rewards of policies on a log, and on logs that chance could have given instead. Rewards are means per pull.
struct JointComparison {
  std::size_t best = 0;         ///< the policy that is compared with all others; it may be selected by its reward
  std::vector<double> rewards;  ///< of each policy on the log
  std::vector<double> errors;   ///< standard error of rewards[best] - rewards[policy], because both are simulated
  std::vector<std::vector<double>> deviations;  ///< [resampled log][policy]: reward on it less the reward on the log
  std::vector<std::vector<double>> level;       ///< [log whose arms all pay the same][policy]: reward on it
};

/// The evidence of a log about the best policy and all others together.
struct JointEvidence {
  double by_chance = 0;              ///< the difference that only 5 % of the logs exceed whose arms all pay the same
  std::vector<bool> clearly_behind;  ///< by policy: the log supports that the best policy earns more
};

/// Returns the policies that the log shows to be behind the best one. If no policy is better than another, some is
/// named in at most about 5 % of the logs, although the best policy is selected by the same log. A policy is named if
/// its difference to the best satisfies two conditions:
///
/// - It lies above 0 by more than its error. The errors of the differences of all pairs of policies on resampled logs
///   are divided by their standard deviations; the half-width of all differences, in standard deviations, is the 95 %
///   quantile of the largest. This holds for all pairs together, so also for one that is selected (Tukey 1953).
/// - It exceeds what chance gives, with and without its bias. A policy that follows differences between arms earns more
///   on fitted curves even if the fitted differences are noise. The measure of that is the 95 % quantile of the largest
///   difference of two policies on logs whose arms all pay the same. Resampled logs cannot replace it: they contain the
///   fitted differences.
///
/// Quantiles are order statistics that are exceeded with a probability of at most 5 %. At least one resampled log and
/// one level log are needed. O(logs policies^2).
JointEvidence joint_evidence(const JointComparison& comparison);

}  // namespace longrun
