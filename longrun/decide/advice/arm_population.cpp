#include "longrun/decide/advice/arm_population.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace longrun {
namespace {

// Before any arm is known, 1 of 4 is believed to fall at some time; every arm with enough pulls counts as one more.
constexpr double kPriorFallen = 1;
constexpr double kPriorArms = 4;
constexpr CurveTrend kPriorShares{.rising = 0.27, .falling = 0.27, .steady = 0.46};  // those of curve_trend()
constexpr std::size_t kFewestForALevel = 2;                                          // arms
constexpr double kPriorLevels = 2;      // arms that the prior of the level counts as
constexpr double kPriorLevelSd = 0.5;   // of the distance of the mean of all arms to the nearer end of the scale
constexpr double kLeastLevelSd = 0.01;  // reward
constexpr int kShareSteps = 10;
constexpr double kGrowthAhead = 4;       // squared: an arm may grow twice as much as it has
constexpr double kLeastGrowthSd = 0.03;  // reward
constexpr double kGrowthOfBest = 4;      // growth by this multiple of what the best arm may pay now is unexpected, as
                                         // growth by the whole scale is where rewards are not rare
constexpr double kFallOfWorst = 2;     // a fall by this multiple of what the worst arm may lack to 1 now is unexpected
constexpr double kLeastFallSd = 0.03;  // reward

CurveTrend trend_among(const CurveTrend& trend, const CurveTrend& shares) {
  const double rising = trend.rising * shares.rising / kPriorShares.rising;
  const double falling = trend.falling * shares.falling / kPriorShares.falling;
  const double steady = trend.steady * shares.steady / kPriorShares.steady;
  const double all = rising + falling + steady;
  return {rising / all, falling / all, steady / all};
}

/// Returns the square of the growth of the newest quarter of the rewards over the oldest, or 0 if that is negative,
/// less what noise alone would give on average.
double squared_growth(const RewardSummary& rewards, double sd) {
  const std::vector<RewardBucket> buckets = rewards.buckets();
  RewardBucket oldest;
  for (std::size_t i = 0; 4 * oldest.count < rewards.count(); ++i) oldest += buckets[i];
  RewardBucket newest;
  for (std::size_t i = buckets.size(); 4 * newest.count < rewards.count();) newest += buckets[--i];
  const double growth = std::max(0.0, newest.mean() - oldest.mean());
  const double noise = sd * sd * (1 / static_cast<double>(oldest.count) + 1 / static_cast<double>(newest.count));
  return growth * growth - noise / 2;
}

/// Returns the shares of arms that rise, fall and stay, given the trends of some of them.
CurveTrend shares_of(const std::vector<CurveTrend>& trends) {
  CurveTrend shares = kPriorShares;
  for (int step = 0; step < kShareSteps; ++step) {  // each makes the shares more likely (expectation maximisation)
    CurveTrend sums{.rising = kPriorArms * kPriorShares.rising,
                    .falling = kPriorArms * kPriorShares.falling,
                    .steady = kPriorArms * kPriorShares.steady};
    for (const CurveTrend& each : trends) {
      const CurveTrend share = trend_among(each, shares);
      sums.rising += share.rising;
      sums.falling += share.falling;
      sums.steady += share.steady;
    }
    const double all = kPriorArms + static_cast<double>(trends.size());
    shares = {sums.rising / all, sums.falling / all, sums.steady / all};
  }
  return shares;
}

/// Returns the mean of all arms, each weighted by its precision, if the variance between arms is `variance`.
double mean_with(const std::vector<RewardNow>& arms, double variance) {
  double weights = 0;
  double sum = 0;
  for (const RewardNow& arm : arms) {
    const double weight = 1 / (arm.standard_error * arm.standard_error + variance);
    weights += weight;
    sum += weight * arm.mean;
  }
  return sum / weights;
}

/// Returns the distribution of the present rewards of all arms with at least 2 rewards; nullopt if there are too few,
/// or if rewards are exact.
std::optional<ArmLevel> level_of(std::span<const RewardSummary> rewards, std::span<const OwnEstimate> estimates) {
  std::vector<RewardNow> arms;
  for (std::size_t arm = 0; arm < rewards.size(); ++arm) {
    if (rewards[arm].count() < 2) continue;
    arms.push_back(*estimates[arm].reward_now);
    if (!(arms.back().standard_error > 0)) return std::nullopt;
  }
  if (arms.size() < kFewestForALevel) return std::nullopt;
  // The estimate of DerSimonian and Laird (1986) of the variance between arms.
  const double mean = mean_with(arms, 0);
  double weights = 0;
  double weight_squares = 0;
  double spread = 0;
  for (const RewardNow& arm : arms) {
    const double weight = 1 / (arm.standard_error * arm.standard_error);
    weights += weight;
    weight_squares += weight * weight;
    spread += weight * (arm.mean - mean) * (arm.mean - mean);
  }
  const double free = static_cast<double>(arms.size()) - 1;
  const double between = std::max(0.0, (spread - free) / (weights - weight_squares / weights));
  const double prior = std::max(kLeastLevelSd, kPriorLevelSd * std::min(mean, 1 - mean));
  const double variance = (free * between + kPriorLevels * prior * prior) / (free + kPriorLevels);
  return ArmLevel{.mean = mean_with(arms, variance), .sd = std::sqrt(variance)};
}

}  // namespace

CurveTrend ArmPopulation::trend_among_all(const CurveTrend& own) const { return trend_among(own, shares); }

ArmPopulation population_of(std::span<const RewardSummary> rewards, std::span<const OwnEstimate> estimates) {
  std::vector<CurveTrend> trends;
  double fallen = 0;
  double growth = 0;  // sum of squares
  double most = 0;    // that an arm may pay now
  double least = 1;   // that an arm may pay now
  for (std::size_t arm = 0; arm < rewards.size(); ++arm) {
    if (rewards[arm].count() < kFewestToJudge) continue;
    const OwnEstimate& own = estimates[arm];
    trends.push_back(own.trend);
    fallen += own.has_fallen ? 1 : own.trend.falling;
    growth += squared_growth(rewards[arm], own.noise.sd);
    most = std::max(most, own.reward_now->high);
    least = std::min(least, own.reward_now->low);
  }
  const auto judged = static_cast<double>(trends.size());
  const double before = trends.empty() ? 1 : std::min(1.0, kGrowthOfBest * most);  // of the growth, as a deviation
  return {.shares = shares_of(trends),
          .growth_sd = std::max(kLeastGrowthSd * before,
                                std::sqrt((before * before + kGrowthAhead * std::max(0.0, growth)) / (1 + judged))),
          .fall_sd = trends.empty() ? 1 : std::clamp(kFallOfWorst * (1 - least), kLeastFallSd, 1.0),
          .level = level_of(rewards, estimates),
          .falls_later = (kPriorFallen + fallen) / (kPriorArms + judged)};
}

}  // namespace longrun
