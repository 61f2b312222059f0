#include "longrun/simulate/backtest/joint_comparison.h"

#include <algorithm>
#include <cmath>

namespace longrun {
namespace {

constexpr double kJointMiss = 0.05;  // probability of a wrong statement about any of the policies

/// Returns the order statistic that one more value exceeds with probability kJointMiss at most; the largest value if
/// there are too few.
double upper_quantile(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const auto count = static_cast<double>(values.size());
  const auto place = static_cast<std::size_t>(std::ceil((1 - kJointMiss) * (count + 1) - 1e-9));
  return values[std::min(place, values.size()) - 1];
}

/// The differences of two policies between resampled logs and the log.
struct Deviations {
  double bias = 0;  // their mean
  double sd = 0;
};

Deviations deviations_of(const JointComparison& all, std::size_t a, std::size_t b) {
  Deviations result;
  const auto count = static_cast<double>(all.deviations.size());
  for (const auto& log : all.deviations) result.bias += (log[a] - log[b]) / count;
  double squares = 0;
  for (const auto& log : all.deviations) squares += std::pow(log[a] - log[b] - result.bias, 2);
  result.sd = std::sqrt(squares / std::max(1.0, count - 1));
  return result;
}

/// Returns the half-width of the differences of all pairs together, in their standard deviations.
double joint_half_width(const JointComparison& all) {
  std::vector<double> largest(all.deviations.size(), 0);
  for (std::size_t a = 0; a < all.rewards.size(); ++a) {
    for (std::size_t b = a + 1; b < all.rewards.size(); ++b) {
      const Deviations pair = deviations_of(all, a, b);
      if (pair.sd == 0) continue;
      for (std::size_t log = 0; log < largest.size(); ++log) {
        const double deviation = all.deviations[log][a] - all.deviations[log][b] - pair.bias;
        largest[log] = std::max(largest[log], std::abs(deviation) / pair.sd);
      }
    }
  }
  constexpr double kOneComparison = 1.96;  // of a normal distribution; fewer cannot be right for one pair
  return std::max(kOneComparison, upper_quantile(std::move(largest)));
}

}  // namespace

JointEvidence joint_evidence(const JointComparison& comparison) {
  JointEvidence evidence;
  std::vector<double> spreads;
  for (const auto& log : comparison.level) {
    const auto [least, most] = std::minmax_element(log.begin(), log.end());
    spreads.push_back(*most - *least);
  }
  evidence.by_chance = upper_quantile(std::move(spreads));
  const double half_width = joint_half_width(comparison);
  for (std::size_t policy = 0; policy < comparison.rewards.size(); ++policy) {
    const double difference = comparison.rewards[comparison.best] - comparison.rewards[policy];
    const Deviations pair = deviations_of(comparison, comparison.best, policy);
    const double low = difference - pair.bias - half_width * std::hypot(pair.sd, comparison.errors[policy]);
    const bool beyond_chance = std::min(difference, difference - pair.bias) > evidence.by_chance;
    evidence.clearly_behind.push_back(policy != comparison.best && low > 0 && beyond_chance);
  }
  return evidence;
}

}  // namespace longrun
