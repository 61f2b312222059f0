#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "longrun/base/types.h"
#include "longrun/decide/advice/misfit.h"
#include "longrun/decide/advice/outliers.h"
#include "longrun/decide/reward_scale.h"
#include "longrun/model/bandit.h"
#include "longrun/model/history.h"
#include "longrun/policy/catalog.h"
#include "longrun/simulate/backtest/log_estimates.h"
#include "longrun/simulate/backtest/log_fit.h"
#include "longrun/simulate/backtest/replay.h"

namespace longrun {

inline constexpr std::uint32_t kFewestResamples = 20;     ///< of a log, for quantiles at 10 % and 90 %
inline constexpr std::uint32_t kMostRepeats = 1'000'000;  ///< limit on replicates and resamples

/// The policies that a backtest compares by default.
inline constexpr std::array<std::string_view, 4> kBacktestPolicies{kDefaultPolicy, "spo", "ucb", "greedy"};

/// A log and the policies that it is to judge.
struct BacktestSpec {
  History history;
  bool keep_outliers = false;            ///< whether rewards that look like mistakes count as they are
  RewardScale scale{};                   ///< of the history's rewards and of all rewards in the result
  Pulls horizon = 0;                     ///< pulls of each simulated run; 0: as many as the log has
  std::vector<PolicyChoice> policies{};  ///< at least one, no two equal
  std::uint32_t replicates = 200;        ///< simulated runs of each policy on the fitted bandit
  std::uint32_t resamples = 100;         ///< bootstrap logs; 0: no intervals
  bool random_choices = false;           ///< the arms of the log were chosen uniformly at random
  std::uint64_t seed = 0;
};

/// The progress of a backtest.
struct BacktestProgress {
  std::uint64_t runs_done = 0;
  std::uint64_t runs_total = 0;
  std::uint64_t steps_done = 0;
  std::uint64_t steps_total = 0;
};

/// The options of the computation of a backtest. The result does not depend on it.
struct BacktestOptions {
  int threads = 0;                                             ///< 0: one per core
  std::function<void(const BacktestProgress&)> on_progress{};  ///< called after each run, by one thread at a time
  const std::atomic<bool>* stop = nullptr;                     ///< once true, Cancelled is thrown
};

/// The result of one way to choose arms. Rewards are means per pull, in the unit of the log.
struct BacktestRow {
  std::string name;           ///< of the policy, "equal split" or "optimum"
  bool reference = false;     ///< not a policy: never the best, and not ranked
  LogEstimate reward{};       ///< mean reward per pull
  double standard_error = 0;  ///< of reward.value, because the number of replicates is finite
  LogEstimate behind_best{};  ///< reward of the best policy less this one; 0 for the best
  /// Whether the log supports that the best policy earns more than this one: joint_evidence() for all policies
  /// together. False for references, and without resamples. The interval of `behind_best` holds for one comparison.
  bool clearly_behind = false;
  LogEstimate regret{};       ///< policy regret per pull: reward of the optimum less this one
  std::vector<double> pulls;  ///< mean number of pulls by fitted arm
  double extrapolated = 0;    ///< share of pulls after the last known reward of their arm
};

/// The replays of one policy.
struct PolicyReplays {
  std::string policy;
  std::vector<Replay> columns;                 ///< one for each of kArmOrders orders of the arms
  std::optional<RejectionReplay> rejection{};  ///< only if the choices of the log were random
};

/// Policies compared on a bandit that is fitted to a log.
struct Backtest {
  Pulls horizon = 0;
  Pulls log_pulls = 0;
  Pulls log_rewards = 0;            ///< those of log_pulls whose reward is known; the others are pending or lost
  double log_reward = 0;            ///< mean of the known rewards of the log, outliers as typical, in its unit
  std::vector<LoggedArm> arms;      ///< those with a curve
  std::vector<LoggedArm> left_out;  ///< those with too few rewards for a curve; no policy can pull them
  FarRewards far;                   ///< rewards that look like mistakes: outliers count as typical in everything here
  /// By arm of the log: how its rewards contradict the assumption of single-peaked curves. They count all the same.
  std::vector<std::optional<Misfit>> misfits;
  LogFit fit;                     ///< curves and noise, on the scale from 0 to 1
  Bandit bandit;                  ///< the same as a bandit
  std::vector<BacktestRow> rows;  ///< the policies in the order of the spec, then the references
  std::size_t best = 0;           ///< row of the policy with the largest reward; the first of those that tie
  /// The difference of two policies that chance gives: the largest of all pairs exceeds it in 5 % of the logs whose
  /// arms all pay the same. Only with resamples and at least two policies.
  std::optional<double> by_chance{};
  std::vector<PolicyReplays> replays;
  std::optional<RandomChoiceTest> random_choices{};  ///< only if the choices of the log are said to be random
};

/// Fits a bandit to the log, simulates the policies on it, in several orders of its arms, and repeats both for logs
/// resampled from the fit and for as many logs whose arms all pay the same. The result is the same for any order in
/// which the log names its arms. The optimum of the fitted curves is never below a policy; where subtracting the bias
/// of each would put it there, the estimates of the optimum and of regret are raised to the least that agrees with the
/// other rows. Throws InputError if the log is not on its scale, if fewer than two arms have enough rewards, or for an
/// invalid spec.
Backtest backtest(const BacktestSpec& spec, const BacktestOptions& options = {});

/// The number of replicates of each policy on the bandit of a resampled log. They have the same noise as some of the
/// replicates on the fitted bandit, and are compared with these: the noise of the simulation cancels in part.
inline constexpr std::uint32_t kReplicatesPerResample = 10;

}  // namespace longrun
