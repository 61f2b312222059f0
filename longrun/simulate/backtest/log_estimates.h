#pragma once

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <optional>
#include <vector>

#include "longrun/decide/reward_scale.h"
#include "longrun/simulate/backtest/joint_comparison.h"

namespace longrun {

/// The 80 % interval of an estimate: the "basic" bootstrap interval. If values on resampled logs are above the value
/// on the log by some amount, then the value on the log is above the truth by about as much; this interval is shifted
/// accordingly.
struct LogInterval {
  double low = 0;
  double high = 0;
};

/// An estimate, less its bias, with its interval. Without resamples, the bias is not known and there is no interval.
struct LogEstimate {
  double value = 0;
  std::optional<LogInterval> interval{};

  /// Returns the interval; that of the value alone if there is none.
  LogInterval range() const { return interval.value_or(LogInterval{value, value}); }
};

/// Returns the estimate from the value on the log and the differences of values on resampled logs to it: the value less
/// the mean difference, and the interval from the value less the 90 % quantile to the value less the 10 % quantile.
/// Each half of the interval is enlarged by the standard error that `value` has because it is simulated.
LogEstimate bootstrap_estimate(double value, std::vector<double> differences, double standard_error);

/// Consecutive replicates.
struct Replicates {
  std::uint32_t first = 0;
  std::uint32_t count = 0;
};

/// The result of all ways to choose arms on one fitted bandit, in the order of Backtest::rows: the policies, equal
/// split, optimum.
struct PolicyComparison {
  Replicates replicates;
  std::vector<std::vector<double>> rewards;  ///< [row][replicate], per pull; references have one
  std::vector<std::vector<double>> pulls;    ///< [row][arm], means

  /// Returns the mean over some of the replicates.
  double mean(std::size_t row, const Replicates& some) const {
    if (rewards[row].size() == 1) return rewards[row][0];
    const auto begin = rewards[row].begin() + (some.first - replicates.first);
    return std::accumulate(begin, begin + some.count, 0.0) / some.count;
  }
};

/// Returns the standard error of the mean of the values; 0 for a single one.
double standard_error_of_mean(const std::vector<double>& values);

/// The estimates of a backtest, in the unit of the log. The last row is the optimum.
class LogEstimates {
 public:
  /// `all` has the comparison on the log, those on `resamples` resampled logs, and those on level logs. Both arguments
  /// must outlive this object.
  LogEstimates(const std::vector<PolicyComparison>& all, std::size_t resamples, const RewardScale& scale)
      : all_(all), resamples_(resamples), optimum_(all[0].rewards.size() - 1), scale_(scale) {}

  LogEstimate reward(std::size_t row) const;
  /// Returns the reward of the optimum, raised to the largest of the other rows: the biases of two rows are estimated
  /// from few logs, so their difference can be wrong by more than the rows differ.
  LogEstimate optimum_reward() const;
  /// Returns the policy regret of a row: the reward of the optimum, raised in the same way, less that of the row.
  LogEstimate regret(std::size_t row) const;
  /// Returns the reward of row a less that of row b.
  LogEstimate difference(std::size_t a, std::size_t b) const;
  /// Returns what the log says about the best policy and all others; its `by_chance` is in the unit of the log. There
  /// are resampled and level logs.
  JointEvidence evidence(std::size_t best) const;

 private:
  LogEstimate of(std::size_t a, std::optional<std::size_t> b = std::nullopt) const;
  double error_of(std::size_t a, std::optional<std::size_t> b) const;

  const std::vector<PolicyComparison>& all_;
  const std::size_t resamples_;
  const std::size_t optimum_;  // its row
  const RewardScale& scale_;
};

}  // namespace longrun
