#include "longrun/decide/advice/noise_by_arm.h"

#include <algorithm>
#include <cmath>

#include "longrun/decide/advice/arm_report.h"

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

}  // namespace

NoiseByArm noise_by_arm(const History& counted, double sd, std::span<const double> arm_sds) {
  NoiseByArm noise{.sd = sd};
  if (arm_sds.empty()) return noise;
  std::vector<std::vector<double>> rewards(arm_sds.size());
  for (const PastPull& pull : counted.pulls) {
    if (pull.reward) rewards[static_cast<std::size_t>(pull.arm)].push_back(*pull.reward);
  }
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

}  // namespace longrun
