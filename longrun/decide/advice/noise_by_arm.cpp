#include "longrun/decide/advice/noise_by_arm.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "longrun/decide/advice/arm_report.h"
#include "longrun/decide/advice/reward_summary.h"

namespace longrun {
namespace {

/// Returns how many normal rewards tell their variance as well as these: the variance of an estimated variance grows
/// with the kurtosis of the rewards, which is that of their steps, so that it does not contain their trend. It is large
/// where most rewards are the same and few are far from them.
double as_normal(std::span<const double> rewards) {
  constexpr double kNormal = 3;  // kurtosis
  double squares = 0;
  double fourths = 0;
  for (std::size_t i = 1; i < rewards.size(); ++i) {
    const double step = rewards[i] - rewards[i - 1];
    squares += step * step;
    fourths += step * step * step * step;
  }
  if (!(squares > 0)) return 0;
  const auto steps = static_cast<double>(rewards.size() - 1);
  const double of_steps = steps * fourths / (squares * squares);
  const double kurtosis = std::max(kNormal, 2 * of_steps - kNormal);  // that of a step is between it and the normal one
  return 2 * static_cast<double>(rewards.size()) / (kurtosis - 1);
}

std::vector<std::vector<double>> rewards_by_arm(const History& history) {
  std::vector<std::vector<double>> rewards(history.arm_names.size());
  for (const PastPull& pull : history.pulls) {
    if (pull.reward) rewards[static_cast<std::size_t>(pull.arm)].push_back(*pull.reward);
  }
  return rewards;
}

/// Second differences of the rewards of each arm, scaled so that their variance is that of the noise. They contain
/// hardly anything of a curve.
class SecondDifferences {
 public:
  explicit SecondDifferences(const std::vector<std::vector<double>>& rewards) {
    for (const std::vector<double>& arm : rewards) {
      for (std::size_t i = 2; i < arm.size(); ++i) {
        sizes_.push_back(std::abs(arm[i] - 2 * arm[i - 1] + arm[i - 2]) / std::sqrt(6));
        const double square = sizes_.back() * sizes_.back();
        squares_ += square;
        fourths_ += square * square;
      }
    }
  }

  std::size_t count() const { return sizes_.size(); }
  double sd() const { return std::sqrt(squares_ / size()); }
  /// Returns the standard deviation of normal noise with this median.
  double sd_by_median() const {
    constexpr double kMedianOfNormal = 0.6745;  // of the absolute value of a standard normal variable
    std::vector<double> sizes = sizes_;
    const auto middle = sizes.begin() + std::ssize(sizes) / 2;
    std::nth_element(sizes.begin(), middle, sizes.end());
    return *middle / kMedianOfNormal;
  }
  /// Returns the standard error of the logarithm of sd(). Neighbouring differences share rewards.
  double error() const {
    constexpr double kNormal = 3;                   // kurtosis
    constexpr double kVarianceOfSquares = 35 / 9.;  // of the mean square, times count(): 2 (1 + 2 (2/3)^2 + 2 (1/6)^2)
    constexpr double kRewardsPerDifference = 2;     // excess kurtosis of a reward, in terms of that of a difference
    const double kurtosis = squares_ > 0 ? size() * fourths_ / (squares_ * squares_) : kNormal;
    const double excess = kRewardsPerDifference * std::max(0.0, kurtosis - kNormal);
    return std::sqrt((kVarianceOfSquares + excess) / (4 * size()));
  }

 private:
  double size() const { return static_cast<double>(sizes_.size()); }

  std::vector<double> sizes_;
  double squares_ = 0;
  double fourths_ = 0;
};

/// Returns whether more than a third of the rewards are above or below both neighbours. Two thirds of rewards are if
/// they differ by noise alone; a single-peaked curve has one such reward.
bool turn_often(const std::vector<std::vector<double>>& rewards) {
  std::size_t turns = 0;
  std::size_t all = 0;
  for (const std::vector<double>& arm : rewards) {
    for (std::size_t i = 2; i < arm.size(); ++i) {
      if ((arm[i - 1] - arm[i - 2]) * (arm[i] - arm[i - 1]) < 0) ++turns;
      ++all;
    }
  }
  return 3 * turns > all;
}

/// Returns the standard deviation of the rewards about a line in each block of successive rewards; 0 if no arm fills a
/// block.
double sd_in_blocks(const std::vector<std::vector<double>>& rewards) {
  constexpr std::size_t kBlock = 8;
  constexpr double kCentre = (kBlock - 1) / 2.0;
  constexpr double kPlaces = kBlock * (kBlock * kBlock - 1) / 12.0;  // sum of (i - kCentre)^2
  double squares = 0;
  double freedom = 0;
  for (const std::vector<double>& arm : rewards) {
    for (std::size_t begin = 0; begin + kBlock <= arm.size(); begin += kBlock) {
      RewardBucket block;
      double moment = 0;
      for (std::size_t i = 0; i < kBlock; ++i) {
        block += {.count = 1, .sum = arm[begin + i]};
        moment += (static_cast<double>(i) - kCentre) * arm[begin + i];
      }
      squares += std::max(0.0, block.squares - moment * moment / kPlaces);
      freedom += kBlock - 2;
    }
  }
  return freedom > 0 ? std::sqrt(squares / freedom) : 0;
}

/// Ratios of a true and a stated standard deviation from which on the latter costs regret. Source: the table "Noise
/// that is stated wrong" of docs/noise-study.md. Two thirds of the true one cost 1.3 to 2.4 times the regret; twice
/// costs next to nothing, and 4 times costs 2.8 times the regret on falling arms.
struct CostlyRatio {
  double too_small = 1.25;  ///< of the true to the stated one, between 1 and 1.5
  double too_large = 3;     ///< of the stated to the true one, between 2 and 4
};

/// Returns whether the stated standard deviation is so far from the true one that it costs regret, and farther than a
/// ratio of `chance`.
bool is_far(double stated, double sd, double chance) {
  constexpr CostlyRatio kCostly;
  return sd > std::max(kCostly.too_small, chance) * stated || stated > std::max(kCostly.too_large, chance) * sd;
}

}  // namespace

NoiseByArm noise_by_arm(const History& counted, double sd, std::span<const double> arm_sds) {
  NoiseByArm noise{.sd = sd};
  if (arm_sds.empty()) return noise;
  const std::vector<std::vector<double>> rewards = rewards_by_arm(counted);
  for (std::size_t arm = 0; arm < arm_sds.size(); ++arm) {
    noise.arms.push_back(
        {.sd = arm_sds[arm], .rewards = std::ssize(rewards[arm]), .as_normal = as_normal(rewards[arm])});
  }
  return noise;
}

std::optional<NoiseExtremes> clearly_different(const NoiseByArm& noise) {
  constexpr double kRatio = 2;            // of two standard deviations
  constexpr double kErrorsOfRatio = 4.5;  // of the logarithm of their squared ratio; two of many arms are compared
  constexpr double kFewestAsNormal = 10;  // rewards; rare amounts that are fewer hardly tell their noise
  const auto few = [](const NoiseByArm::Own& arm) {
    return arm.rewards < kFewestForOwnNoise || !(arm.sd > 0) || arm.as_normal < kFewestAsNormal;
  };
  std::optional<std::size_t> least;
  std::optional<std::size_t> most;
  for (std::size_t arm = 0; arm < noise.arms.size(); ++arm) {
    if (few(noise.arms[arm])) continue;
    if (!least || noise.arms[arm].sd < noise.arms[*least].sd) least = arm;
    if (!most || noise.arms[arm].sd > noise.arms[*most].sd) most = arm;
  }
  if (!least || least == most) return std::nullopt;
  const NoiseByArm::Own& low = noise.arms[*least];
  const NoiseByArm::Own& high = noise.arms[*most];
  const double error = std::sqrt(2 / low.as_normal + 2 / high.as_normal);
  if (high.sd < kRatio * low.sd || 2 * std::log(high.sd / low.sd) < kErrorsOfRatio * error) return std::nullopt;
  return NoiseExtremes{.least = *least, .most = *most};
}

std::optional<double> contradicted_noise(const History& history, double stated, double range) {
  constexpr double kErrors = 3;        // of the logarithm of the ratio
  constexpr std::size_t kEnough = 10;  // second differences
  constexpr double kUnseen = 3;        // an event that did not occur in n rewards has a rate of at most 3/n, at 95 %
  const std::vector<std::vector<double>> rewards = rewards_by_arm(history);
  const SecondDifferences differences(rewards);
  if (differences.count() < kEnough) return std::nullopt;
  if (stated == 0 && !turn_often(rewards)) return std::nullopt;  // the bend of an exact curve is no noise
  // Of several estimates, the one nearest to what is stated: outliers, rare amounts and rewards that swing mislead each
  // in another direction. Where most rewards are the same, rare ones may not have occurred yet.
  const double by_median = differences.sd_by_median();
  std::array estimates{by_median, differences.sd(), sd_in_blocks(rewards)};
  if (estimates.back() == 0) estimates.back() = by_median;  // no arm fills a block
  const auto [least, most] = std::minmax_element(estimates.begin(), estimates.end());
  double largest = *most;
  if (by_median == 0)
    largest = std::max(largest, range * std::sqrt(kUnseen / static_cast<double>(differences.count())));
  const double shown = std::clamp(stated, *least, largest);
  const double chance = std::exp(kErrors * differences.error());
  return is_far(stated, shown, chance) ? std::optional(shown) : std::nullopt;
}

std::optional<double> contradicted_noise(std::span<const std::vector<double>> errors, double stated) {
  constexpr std::size_t kEnough = 100;  // errors: their standard deviation has an error of 7 %
  double squares = 0;
  std::size_t count = 0;
  for (const std::vector<double>& arm : errors) {
    for (const double error : arm) squares += error * error;
    count += arm.size();
  }
  if (count < kEnough) return std::nullopt;
  const double recorded = std::sqrt(squares / static_cast<double>(count));
  return is_far(stated, recorded, 1) ? std::optional(recorded) : std::nullopt;
}

}  // namespace longrun
