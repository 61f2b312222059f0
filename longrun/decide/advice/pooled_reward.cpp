#include "longrun/decide/advice/pooled_reward.h"

#include <algorithm>
#include <cmath>

namespace longrun {
namespace {

constexpr double kPriorArmsPooled = 2;        // arms that the prior of the variance between arms counts as
constexpr double kPriorSdPooled = 0.25;       // reward
constexpr double kPriorSdOfRate = 0.5;        // of the nearer one of a rate and its complement
constexpr double kNinetyPercent = 1.2815516;  // quantile of the standard normal distribution

/// The means of all arms and what is known about their differences.
class Pool {
 public:
  explicit Pool(std::span<const OwnEstimate> arms) {
    double pulls = 0;
    double rewards = 0;
    for (const OwnEstimate& arm : arms) {
      pulls += static_cast<double>(arm.reward_now->pulls);
      rewards += arm.reward_now->mean * static_cast<double>(arm.reward_now->pulls);
    }
    // The error of the mean of few yes/no rewards by their own rate is too small where that is small by chance.
    rate_ = rewards / pulls;
    double sum = 0;
    double noise = 0;
    for (const OwnEstimate& arm : arms) {
      sum += arm.reward_now->mean;
      noise += variance(arm);
    }
    const auto count = static_cast<double>(arms.size());
    double squares = 0;
    for (const OwnEstimate& arm : arms) squares += std::pow(arm.reward_now->mean - sum / count, 2);
    const double prior = arms[0].noise.yes_or_no ? kPriorSdOfRate * std::min(rate_, 1 - rate_) : kPriorSdPooled;
    const double differences = std::max(0.0, squares - (count - 1) * noise / count);
    between_ = (kPriorArmsPooled * prior * prior + differences) / (kPriorArmsPooled + count - 1);
    double weighted = 0;
    for (const OwnEstimate& arm : arms) {
      const double weight = 1 / (variance(arm) + between_);
      weights_ += weight;
      weighted += weight * arm.reward_now->mean;
    }
    mean_ = weighted / weights_;
  }

  PooledReward of(const OwnEstimate& arm) const {
    const double noise = variance(arm);
    const double own = between_ / (between_ + noise);  // weight of the arm's own rewards
    const double mean = mean_ + own * (arm.reward_now->mean - mean_);
    const double squared = own * noise + (1 - own) * (1 - own) / weights_;
    if (!arm.noise.yes_or_no) {
      const double error = kNinetyPercent * std::sqrt(squared);
      return {.mean = mean,
              .low = std::max(mean - error, std::min(0.0, mean)),
              .high = std::min(mean + error, std::max(1.0, mean))};
    }
    // As many yes/no rewards as have this variance at the pooled rate.
    const RateInterval interval = rate_interval(mean, rate_ * (1 - rate_) / squared, kNinetyPercent);
    return {.mean = mean, .low = interval.low, .high = interval.high};
  }

 private:
  /// Returns the variance of the mean of an arm's newest rewards.
  double variance(const OwnEstimate& arm) const {
    const double error = arm.reward_now->standard_error;
    if (!arm.noise.yes_or_no) return error * error;
    return rate_ * (1 - rate_) / static_cast<double>(arm.reward_now->pulls);
  }

  double rate_ = 0;     // mean of all newest rewards
  double between_ = 0;  // variance between arms
  double mean_ = 0;     // of the arms
  double weights_ = 0;  // sum of their precisions
};

}  // namespace

std::vector<PooledReward> pooled_rewards(std::span<const OwnEstimate> arms) {
  std::vector<PooledReward> pooled;
  const bool can_differ = arms.size() > 1 && std::all_of(arms.begin(), arms.end(), [](const OwnEstimate& arm) {
                            return arm.reward_now->standard_error > 0;
                          });
  const bool one_rate =
      can_differ && arms[0].noise.yes_or_no && std::all_of(arms.begin(), arms.end(), [&](const OwnEstimate& arm) {
        return arm.reward_now->mean == arms[0].reward_now->mean &&
               (arm.reward_now->mean == 0 || arm.reward_now->mean == 1);
      });
  if (!can_differ || one_rate) {
    for (const OwnEstimate& arm : arms)
      pooled.push_back({arm.reward_now->mean, arm.reward_now->low, arm.reward_now->high});
    return pooled;
  }
  const Pool pool(arms);
  for (const OwnEstimate& arm : arms) pooled.push_back(pool.of(arm));
  return pooled;
}

}  // namespace longrun
