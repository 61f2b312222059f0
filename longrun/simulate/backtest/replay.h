#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "longrun/base/types.h"
#include "longrun/model/history.h"
#include "longrun/policy/catalog.h"
#include "longrun/policy/setting.h"
#include "longrun/simulate/backtest/log_fit.h"

namespace longrun {

/// A policy played on the rewards of a log, without a model of the arms.
struct Replay {
  std::vector<double> rewards;     ///< of the pulls that the policy made, in order, on the scale from 0 to 1
  Pulls unknown = 0;               ///< further pulls, between these, whose reward the log does not know
  std::optional<Arm> exhausted{};  ///< number in the log of the arm that had no more rewards; nullopt at the horizon

  /// Returns the mean of the first `pulls` rewards, from 1 to all of them.
  double mean(std::size_t pulls) const;
};

/// Plays a policy on the columns of a log: its k-th pull of an arm pays the k-th logged reward of the arm. In a rested
/// bandit that reward does not depend on the order of the pulls, so this is exactly the run that the policy would have
/// made with the same noise. It ends at the horizon of the setting, or when the policy chooses an arm without a further
/// known reward. A pull before that whose reward is missing in the log is a lost one.
Replay replay_columns(const PolicyChoice& policy, const std::vector<LoggedArm>& arms, const Setting& setting);

/// A replay by rejection, with the pull numbers that it mixes up.
struct RejectionReplay {
  Replay replay;
  Pulls rows = 0;  ///< rows of the log that were read
  /// How much later, in pulls of the arm, the accepted rewards were logged than the policy made them, on average.
  double mean_delay = 0;
  /// The mean of the fitted curve at the logged pull less the fitted curve at the pull of the policy: the error of this
  /// estimate in a rested bandit, as far as the curves are right.
  double age_effect = 0;
};

/// Plays a policy on the rows of a log, in their order: a row counts if it is of the arm that the policy chooses, and
/// is skipped otherwise (Li, Chu, Langford & Wang 2011). The result is right if arms were chosen at random and rewards
/// do not depend on earlier pulls. In a rested bandit they do: the policy's k-th pull of an arm is paid a reward that
/// the arm paid later.
RejectionReplay replay_by_rejection(const PolicyChoice& policy, const History& history,
                                    const std::vector<LoggedArm>& arms, const LogFit& fit, const Setting& setting);

/// Tests of the claim that the arms of a log were chosen uniformly at random. Each number is the probability of a
/// deviation as large as the log's, if the claim is true; nullopt if the log is too short for the test.
struct RandomChoiceTest {
  std::optional<double> uniform{};      ///< chi-square test: all arms are chosen equally often
  std::optional<double> independent{};  ///< chi-square test: an arm does not depend on the arm before it
};
RandomChoiceTest test_random_choices(const History& history);

}  // namespace longrun
