#include "longrun/decide/advice/outliers.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace longrun {
namespace {

constexpr std::size_t kNeighbours = 3;     // on each side
constexpr std::size_t kFewestRewards = 5;  // rewards of an arm; fewer do not tell what is typical
constexpr double kFarthest = 8;            // standard deviations
// Standard deviation of normal noise by the median distance of a reward from those next to it. The mean of the two
// medians of three, from which the distance is measured, adds 0.22 of the noise's variance.
constexpr double kSdPerMedian = 1.4826 / 1.107;
constexpr double kMostShare = 0.02;  // of all rewards

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2 == 1) return *middle;
  return (*middle + *std::max_element(values.begin(), middle)) / 2;
}

/// The rewards of an arm, and what the rewards next to each of them are.
class ArmRewards {
 public:
  void add(std::size_t pull, double reward) {
    pulls_.push_back(pull);
    rewards_.push_back(reward);
  }
  std::size_t size() const { return rewards_.size(); }
  std::size_t pull(std::size_t i) const { return pulls_[i]; }
  double reward(std::size_t i) const { return rewards_[i]; }

  double before(std::size_t i) const { return median_of(i > kNeighbours ? i - kNeighbours : 0, i); }
  double after(std::size_t i) const { return median_of(i + 1, std::min(i + 1 + kNeighbours, size())); }
  /// Returns the distance of a reward, neither the first nor the last, from those next to it.
  double distance(std::size_t i) const { return std::abs(rewards_[i] - (before(i) + after(i)) / 2); }

  /// Returns what is typical where reward i is, if that is more than `allowed` away.
  std::optional<double> typical_unlike(std::size_t i, double allowed) const {
    if (i == 0) return std::nullopt;
    const double reward = rewards_[i];
    if (i + 1 < size()) {
      const auto [low, high] = std::minmax({before(i), after(i)});
      if (reward <= high + allowed && reward >= low - allowed) return std::nullopt;
      return (high + low) / 2;
    }
    // Where the growth of the last rewards would have led, if it had not become slower.
    const double grown = 2 * rewards_[i - 1] - rewards_[i - 2];
    if (reward <= std::max(before(i), grown) + allowed) return std::nullopt;
    return before(i);
  }

 private:
  /// Returns the median of the rewards from `begin` to `end`, of one to kNeighbours of them.
  double median_of(std::size_t begin, std::size_t end) const {
    static_assert(kNeighbours == 3);
    const double first = rewards_[begin];
    const double last = rewards_[end - 1];
    if (end - begin < 3) return (first + last) / 2;
    const auto [low, high] = std::minmax(first, last);
    return std::clamp(rewards_[begin + 1], low, high);
  }

  std::vector<std::size_t> pulls_;  // places in the history
  std::vector<double> rewards_;
};

/// Returns the standard deviation of the noise by distances of rewards from those next to them; 0 if there are none.
/// Distances of 0 do not count: where rewards are rounded, or often the same, half of all distances may be 0, and a
/// median of all would be nearly 0, so that every reward that differs would be far away.
double sd_of(std::vector<double> distances) {
  std::erase(distances, 0.0);
  return distances.empty() ? 0 : kSdPerMedian * median(std::move(distances));
}

/// Returns whether so many of these rewards are too many for mistakes.
bool too_many(std::size_t outliers, std::size_t rewards) {
  return static_cast<double>(outliers) > std::max(1.0, kMostShare * static_cast<double>(rewards));
}

/// Returns the rewards of an arm that are more than `allowed` from those next to them.
std::vector<Outlier> far_rewards(const ArmRewards& arm, double allowed) {
  std::vector<Outlier> found;
  for (std::size_t i = 0; i < arm.size(); ++i) {
    if (const auto typical = arm.typical_unlike(i, allowed)) {
      found.push_back({.pull = arm.pull(i), .reward = arm.reward(i), .typical = *typical});
    }
  }
  return found;
}

}  // namespace

std::vector<Outlier> find_outliers(const History& history, const RewardScale& scale,
                                   const std::optional<Noise>& noise) {
  if (noise && !std::holds_alternative<Gaussian>(*noise)) return {};
  const auto at_end = [&](double reward) { return reward <= scale.minimum || reward >= scale.maximum; };
  std::vector<ArmRewards> arms(history.arm_names.size());
  for (std::size_t i = 0; i < history.pulls.size(); ++i) {
    const PastPull& pull = history.pulls[i];
    if (pull.reward) arms[static_cast<std::size_t>(pull.arm)].add(i, *pull.reward);
  }
  std::erase_if(arms, [](const ArmRewards& arm) { return arm.size() < kFewestRewards; });
  std::vector<double> all;
  std::vector<double> sds;  // by arm
  for (const ArmRewards& arm : arms) {
    std::vector<double> own;
    for (std::size_t i = 1; i + 1 < arm.size(); ++i) {
      if (!at_end(arm.reward(i))) own.push_back(arm.distance(i));
    }
    all.insert(all.end(), own.begin(), own.end());
    sds.push_back(sd_of(std::move(own)));
  }
  // Rewards are yes or no, or most are the same, as if they were counts of rare events.
  if (all.empty() || !(median(all) > 0)) return {};
  const double pooled = sd_of(std::move(all));
  std::vector<Outlier> outliers;
  std::size_t all_found = 0;
  std::size_t all_rewards = 0;
  for (std::size_t i = 0; i < arms.size(); ++i) {
    const std::vector<Outlier> found = far_rewards(arms[i], kFarthest * std::max(pooled, sds[i]));
    all_found += found.size();
    all_rewards += arms[i].size();
    if (!too_many(found.size(), arms[i].size())) outliers.insert(outliers.end(), found.begin(), found.end());
  }
  if (too_many(all_found, all_rewards)) return {};
  std::sort(outliers.begin(), outliers.end(), [](const Outlier& a, const Outlier& b) { return a.pull < b.pull; });
  return outliers;
}

}  // namespace longrun
