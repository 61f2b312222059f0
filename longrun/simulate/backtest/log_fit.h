#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "longrun/base/types.h"
#include "longrun/decide/reward_scale.h"
#include "longrun/model/bandit.h"
#include "longrun/model/history.h"
#include "longrun/model/noise.h"
#include "longrun/solve/single_peaked_fit.h"

namespace longrun {

/// One arm of a log.
struct LoggedArm {
  Arm arm = 0;                      ///< its number in the log
  Pulls pulls = 0;                  ///< until the last one whose reward is known; later ones are no data
  Pulls made = 0;                   ///< all pulls in the log; those without a reward are pending or lost
  std::vector<PullReward> rewards;  ///< on the scale from 0 to 1, in the order of the pulls
};

/// Returns the arms of a log, all of them, with their rewards.
std::vector<LoggedArm> logged_arms(const History& history, const RewardScale& scale);

/// The numbers that decide how a log is fitted.
struct LogFitTuning {
  Pulls fewest_pulls = 5;        ///< an arm with fewer rewards has no curve
  double cell = 0.25;            ///< fewest rewards of a cell, per square root of the arm's rewards
  double last_cell = 0.1;        ///< fewest rewards of the last cell, per reward of the arm
  Pulls smallest_last_cell = 5;  ///< fewest rewards of the last cell
  double far = 6;                ///< a residual beyond so many robust standard deviations may be an outlier
  double most_outliers = 0.005;  ///< share of rewards; if more are far, heavy tails are the reason, and all count
  Pulls own_residuals = 20;      ///< with fewer rewards, an arm is resampled with the residuals of all arms
};
inline constexpr LogFitTuning kLogFitTuning;

/// A bandit fitted to a log: a single-peaked curve per arm, and the noise.
struct LogFit {
  std::vector<SinglePeakedFit> arms;  ///< in the order of the logged arms; values are from 0 to 1
  /// Bernoulli if every reward is 0 or 1. Otherwise Gaussian with the standard deviation of the residuals, or none if
  /// all residuals are 0.
  Noise noise = NoNoise{};
  double sd = 0;             ///< standard deviation of the residuals, with the fitted parameters accounted for
  std::size_t outliers = 0;  ///< rewards that count in the curves, but not in `sd`
  /// Correlation of the residuals of successive pulls of each arm, in standard errors. Far above 0 if the arm's rewards
  /// change in a way that no single-peaked curve follows.
  std::vector<double> residual_correlation{};
};

/// Fits a curve to every arm. Requires that each has at least one reward.
LogFit fit_log(const std::vector<LoggedArm>& arms);

/// Returns the fitted bandit. Its curves are constant after the last logged pull of each arm.
Bandit fitted_bandit(const std::vector<LoggedArm>& arms, const LogFit& fit, const std::vector<std::string>& arm_names);

/// The bootstrap of a log: other logs with the same pulls, as they could have come from the fitted bandit.
class LogResampler {
 public:
  /// Keeps references to both arguments, which must outlive this object.
  LogResampler(const std::vector<LoggedArm>& arms, const LogFit& fit);

  /// Returns log `number`, a pure function of (seed, number). Each reward is the fitted value plus a residual of the
  /// same arm (of any arm, if it has fewer than LogFitTuning::own_residuals rewards), drawn with replacement. Residuals
  /// are enlarged by the factor by which fitting has made them smaller. With Bernoulli noise, each reward is 1 with the
  /// fitted value as its probability.
  std::vector<LoggedArm> resampled(std::uint64_t seed, std::uint32_t number) const;
  /// Returns log `number` of a bandit whose arms all pay the mean reward of the log at every pull, with the same noise.
  /// It has the random numbers of resampled(seed, number).
  std::vector<LoggedArm> level(std::uint64_t seed, std::uint32_t number) const;

 private:
  template <class Mean>
  std::vector<LoggedArm> drawn(std::uint64_t seed, std::uint32_t number, Mean mean) const;

  const std::vector<LoggedArm>& arms_;
  const LogFit& fit_;
  std::vector<std::vector<double>> curves_;     // fitted values by arm and pull
  std::vector<std::vector<double>> residuals_;  // to draw from, by arm; their mean is 0
  double mean_reward_ = 0;                      // of all rewards
};

}  // namespace longrun
