#pragma once

#include <optional>
#include <span>
#include <vector>

#include "longrun/base/types.h"
#include "longrun/decide/curve_trend.h"
#include "longrun/policy/foresight/arm_foresight.h"
#include "longrun/policy/foresight/foresight.h"
#include "longrun/policy/ledger.h"
#include "longrun/policy/setting.h"

namespace longrun {

/// The reward of a future pull of an arm.
struct FuturePull {
  Pulls pull = 0;  ///< number of the pull of this arm, from 1
  double reward = 0;
};

/// The mean of an arm's newest rewards.
struct RewardNow {
  double mean = 0;
  double standard_error = 0;
  Pulls pulls = 1;  ///< number of rewards that it is the mean of
};

/// What an arm is expected to pay per remaining pull if all of them go to it. The truth lies between `low` and `high`
/// with a probability of 80 %.
struct ExpectedReward {
  double mean = 0;
  double low = 0;
  double high = 0;
};

/// The estimates for one arm.
struct ArmReport {
  Pulls pulls = 0;
  std::optional<RewardNow> reward_now{};  ///< nullopt before the first pull
  std::optional<CurveTrend> trend{};      ///< nullopt before the first pull
  std::optional<ExpectedReward>
      expected{};                         ///< nullopt before the second pull, if no pulls remain or rewards are exact
  double index = 0;                       ///< reward per remaining pull, by which kDefaultPolicy compares arms
  double upper_bound_total = 0;           ///< upper bound on the sum of all remaining pulls, if all go to this arm
  std::vector<FuturePull> upper_bound{};  ///< the same bound per pull: corners of a piecewise linear curve, ascending

  /// Returns the part of the index that is not expected reward: what is gained because the first pulls show whether the
  /// arm is better than expected, and it is left if not.
  std::optional<double> value_of_learning() const;
};

/// Returns the expected reward per pull of a mixture of futures. If the arm falls, with probability `falling`, it falls
/// at its recent rate for a while: as long again as it has fallen, or a fifth or five times as long. Otherwise the
/// future is one of `growth`, whose weights are relative.
ExpectedReward expected_reward(std::span<const double> rewards, Pulls remaining, double falling,
                               std::span<const FutureReward> growth);

/// Returns the mean of the newest of `rewards`, at least one: of the longest run of newest rewards, at most a quarter
/// of all, whose mean differs from that of every shorter run by no more than noise explains. `sd` is that of the noise.
RewardNow reward_now(std::span<const double> rewards, double sd);

/// The estimates of kDefaultPolicy for every arm, on the scale from 0 to 1. They do not depend on the policy that
/// decides.
class ArmReports {
 public:
  ArmReports(const Setting& setting, const Parameters& parameters)
      : ledger_(setting), rule_(setting, parameters), rewards_(static_cast<std::size_t>(setting.arms)) {}

  /// Adds a reward of `arm`.
  void observe(Arm arm, double reward);

  /// Updates the numbers that depend on all arms, as the policy does before a decision. Call it after the last reward.
  void update() { rule_.start_refresh_if_due(ledger_); }

  /// Returns the estimates for `arm` with `remaining` pulls left.
  ArmReport report(Arm arm, Pulls remaining) const;

  bool exact() const { return rule_.exact() != nullptr; }  ///< whether observations are exact
  double sd() const { return exact() ? 0 : rule_.model().sd(); }
  bool sd_is_estimate() const { return rule_.sd_is_estimate(); }
  Pulls initial_pulls() const { return rule_.initial_pulls(); }

 private:
  Outlook add_exact_estimates(Arm arm, ArmReport& report) const;
  Outlook add_noisy_estimates(Arm arm, Pulls remaining, ArmReport& report) const;
  /// Returns the standard deviation of these rewards' noise.
  double arm_sd(std::span<const double> rewards) const;

  Ledger ledger_;
  ForesightRule rule_;                        // has observed the same rewards as ledger_
  std::vector<std::vector<double>> rewards_;  // by arm, in order
  bool yes_or_no_ = true;                     // whether every reward so far is 0 or 1
};

}  // namespace longrun
