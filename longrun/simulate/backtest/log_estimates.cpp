#include "longrun/simulate/backtest/log_estimates.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace longrun {
namespace {

constexpr double kMiss = 0.1;               // probability outside an 80 % interval, on each side
constexpr double kNormalQuantile = 1.2816;  // of the same probability, in standard errors

/// Raises an estimate to another that it cannot be below. The lower end is as true as before and stays.
void raise(LogEstimate& estimate, const LogEstimate& least) {
  estimate.value = std::max(estimate.value, least.value);
  if (estimate.interval) estimate.interval->high = std::max(estimate.interval->high, least.interval->high);
}

}  // namespace

LogEstimate bootstrap_estimate(double value, std::vector<double> differences, double standard_error) {
  if (differences.empty()) return {.value = value};
  std::sort(differences.begin(), differences.end());
  const auto quantile = [&](double probability) {  // linear between the order statistics
    const double place = probability * static_cast<double>(differences.size() - 1);
    const auto below = static_cast<std::size_t>(place);
    const std::size_t above = std::min(below + 1, differences.size() - 1);
    return differences[below] + (place - static_cast<double>(below)) * (differences[above] - differences[below]);
  };
  const double bias =
      std::accumulate(differences.begin(), differences.end(), 0.0) / static_cast<double>(differences.size());
  const double simulated = kNormalQuantile * standard_error;
  const double below = std::hypot(std::max(0.0, quantile(1 - kMiss) - bias), simulated);
  const double above = std::hypot(std::max(0.0, bias - quantile(kMiss)), simulated);
  return {.value = value - bias, .interval = LogInterval{value - bias - below, value - bias + above}};
}

double standard_error_of_mean(const std::vector<double>& values) {
  const auto count = static_cast<double>(values.size());
  if (count < 2) return 0;
  const double mean = std::accumulate(values.begin(), values.end(), 0.0) / count;
  double squares = 0;
  for (const double value : values) squares += (value - mean) * (value - mean);
  return std::sqrt(squares / (count - 1) / count);
}

LogEstimate LogEstimates::reward(std::size_t row) const {
  LogEstimate estimate = of(row);
  const auto in_unit = [&](double value) { return scale_.from_unit(value); };
  estimate.value = in_unit(std::clamp(estimate.value, 0.0, 1.0));
  if (estimate.interval) {  // no mean reward lies outside the scale
    estimate.interval = {in_unit(std::clamp(estimate.interval->low, 0.0, 1.0)),
                         in_unit(std::clamp(estimate.interval->high, 0.0, 1.0))};
  }
  return estimate;
}

LogEstimate LogEstimates::optimum_reward() const {
  LogEstimate estimate = reward(optimum_);
  for (std::size_t row = 0; row < optimum_; ++row) raise(estimate, reward(row));
  return estimate;
}

LogEstimate LogEstimates::regret(std::size_t row) const {
  LogEstimate estimate = difference(optimum_, row);
  if (row == optimum_) return estimate;
  if (estimate.interval) estimate.interval->low = std::max(0.0, estimate.interval->low);
  for (std::size_t other = 0; other < optimum_; ++other) raise(estimate, difference(other, row));
  return estimate;
}

LogEstimate LogEstimates::difference(std::size_t a, std::size_t b) const {
  LogEstimate estimate = of(a, b);
  estimate.value *= scale_.range();
  if (estimate.interval) {
    estimate.interval = {estimate.interval->low * scale_.range(), estimate.interval->high * scale_.range()};
  }
  return estimate;
}

JointEvidence LogEstimates::evidence(std::size_t best) const {
  const std::size_t policies = optimum_ - 1;  // equal split and the optimum are the last rows
  JointComparison comparison{.best = best, .rewards = {}, .errors = {}, .deviations = {}, .level = {}};
  for (std::size_t policy = 0; policy < policies; ++policy) {
    comparison.rewards.push_back(all_[0].mean(policy, all_[0].replicates));
    comparison.errors.push_back(error_of(best, policy));
  }
  for (std::size_t log = 1; log < all_.size(); ++log) {
    const Replicates& same = all_[log].replicates;
    const bool level = log > resamples_;
    std::vector<double> rewards;
    for (std::size_t policy = 0; policy < policies; ++policy)
      rewards.push_back(all_[log].mean(policy, same) - (level ? 0 : all_[0].mean(policy, same)));
    (level ? comparison.level : comparison.deviations).push_back(std::move(rewards));
  }
  JointEvidence result = joint_evidence(comparison);
  result.by_chance *= scale_.range();
  return result;
}

/// Returns the estimate of the rewards of row a, less those of row b if it is given.
LogEstimate LogEstimates::of(std::size_t a, std::optional<std::size_t> b) const {
  const auto value = [&](const PolicyComparison& one, const Replicates& some) {
    return one.mean(a, some) - (b ? one.mean(*b, some) : 0);
  };
  std::vector<double> differences;
  for (std::size_t i = 1; i <= resamples_; ++i) {
    const Replicates& same = all_[i].replicates;
    differences.push_back(value(all_[i], same) - value(all_[0], same));
  }
  return bootstrap_estimate(value(all_[0], all_[0].replicates), std::move(differences), error_of(a, b));
}

/// Returns the standard error over the replicates on the fitted bandit. The replicates of two rows are paired; a
/// reference has only one, which is exact.
double LogEstimates::error_of(std::size_t a, std::optional<std::size_t> b) const {
  const auto& rewards = all_[0].rewards;
  std::vector<double> values;
  for (std::size_t i = 0; i < std::max(rewards[a].size(), b ? rewards[*b].size() : 0); ++i) {
    const auto at = [&](std::size_t row) { return rewards[row][std::min(i, rewards[row].size() - 1)]; };
    values.push_back(at(a) - (b ? at(*b) : 0));
  }
  return standard_error_of_mean(values);
}

}  // namespace longrun
