// The generalized likelihood ratio test of ChangeDetector, computed from all rewards.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <set>
#include <vector>

namespace longrun {

/// Returns the splits of `count` rewards: the powers of 2, 3/2 of them, and the last four multiples of each.
inline std::vector<std::size_t> grid_of_splits(std::size_t count) {
  std::set<std::size_t> splits;
  for (std::size_t power = 1; power <= count; power *= 2) {
    splits.insert(power);
    if (3 * power / 2 < count) splits.insert(3 * power / 2);
    std::vector<std::size_t> multiples;
    for (std::size_t multiple = power; multiple <= count; multiple += power) multiples.push_back(multiple);
    for (std::size_t i = multiples.size() >= 4 ? multiples.size() - 4 : 0; i < multiples.size(); ++i) {
      splits.insert(multiples[i]);
    }
  }
  splits.erase(count);
  return {splits.begin(), splits.end()};
}

/// Returns count times the divergence of a Bernoulli distribution with `mean` from the mean of the rewards.
inline double log_likelihood_loss(const std::vector<double>& rewards, double mean) {
  const auto count = static_cast<double>(rewards.size());
  const double ones = std::accumulate(rewards.begin(), rewards.end(), 0.0);
  const double own = std::min(1.0, ones / count);
  double loss = 0;
  if (own > 0) loss += count * own * std::log(own / mean);
  if (own < 1) loss += count * (1 - own) * std::log((1 - own) / (1 - mean));
  return loss;
}

/// Returns whether some split explains the rewards, clipped to [0, 1], so much better than one mean.
inline bool changed_by_definition(std::vector<double> rewards, double delta, const std::vector<std::size_t>& splits) {
  for (double& reward : rewards) reward = std::clamp(reward, 0.0, 1.0);
  const auto count = static_cast<double>(rewards.size());
  const double mean = std::accumulate(rewards.begin(), rewards.end(), 0.0) / count;
  if (mean <= 0 || mean >= 1) return false;
  return std::any_of(splits.begin(), splits.end(), [&](std::size_t split) {
    const auto middle = rewards.begin() + static_cast<std::ptrdiff_t>(split);
    const double ratio =
        log_likelihood_loss({rewards.begin(), middle}, mean) + log_likelihood_loss({middle, rewards.end()}, mean);
    return ratio >= std::log(3 * std::pow(count, 1.5) / delta);
  });
}

}  // namespace longrun
