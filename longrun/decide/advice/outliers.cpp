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
constexpr double kNoiseOfStep = 2 / kFarthest;  // part of a step that noise explains, by kFarthest standard deviations
constexpr double kSteepest = 8;  // ratio of the first two steps of an arm, or of the last two of one that falls

/// The outliers of some rewards that may be mistakes: a share of the rewards, but at least a number.
struct MostMistakes {
  double share = 0;
  double fewest = 0;

  bool exceeded(std::size_t outliers, std::size_t rewards) const {
    return static_cast<double>(outliers) > std::max(fewest, share * static_cast<double>(rewards));
  }
};
constexpr MostMistakes kOfAll{.share = 0.02, .fewest = 1};
constexpr MostMistakes kOfArm{.share = 0.05, .fewest = 2};

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

  /// Returns what is typical where reward i is, if that is more than `allowed` away and the arm does not explain it.
  std::optional<double> typical_unlike(std::size_t i, double allowed) const {
    const double reward = rewards_[i];
    if (i == 0) {
      const double typical = after(0);
      if (reward < typical && !is_level_after_first(allowed)) return std::nullopt;  // a steep start
      return is_leap(reward, typical, rewards_[1], after(1), allowed) ? std::optional(typical) : std::nullopt;
    }
    if (i + 1 < size()) {
      const auto [low, high] = std::minmax({before(i), after(i)});
      if (reward <= high + allowed && reward >= low - allowed) return std::nullopt;
      return (high + low) / 2;
    }
    const double typical = before(i);
    if (is_last_fall(i)) {
      return is_leap(reward, typical, rewards_[i - 1], before(i - 1), allowed) ? std::optional(typical) : std::nullopt;
    }
    // Where the growth of the last rewards would have led, if it had not become slower.
    const double grown = 2 * rewards_[i - 1] - rewards_[i - 2];
    return reward > std::max(typical, grown) + allowed ? std::optional(typical) : std::nullopt;
  }
  /// Returns whether reward i, if it is far away, may be where the arm begins or where a fall does.
  bool is_open(std::size_t i) const { return i == 0 || is_last_fall(i); }

  /// The place of the first of some last rewards, and the median of the rewards before it.
  struct LastRewards {
    std::size_t begin = 0;
    double typical = 0;
  };
  /// Returns the last two or three rewards if they are together more than `allowed` above those before them, or below.
  /// Each of them hides the others: it is next to them.
  std::optional<LastRewards> last_unlike(double allowed) const {
    for (std::size_t count = 2; count <= kNeighbours && size() >= kFewestRewards + count; ++count) {
      const auto end = rewards_.end() - static_cast<std::ptrdiff_t>(count);
      const std::size_t begin = size() - count;
      const double typical = median({end - static_cast<std::ptrdiff_t>(kFewestRewards), end});
      const auto [low, high] = std::minmax_element(end, rewards_.end());
      if (*low <= typical && typical <= *high) continue;
      const double nearest = *low > typical ? *low : *high;
      if (is_leap(nearest, typical, rewards_[begin - 1], before(begin - 1), allowed))
        return LastRewards{begin, typical};
    }
    return std::nullopt;
  }

 private:
  /// Returns whether the rewards after the first one are enough to tell a level, which has no trend and is more than
  /// `allowed` above the first one.
  bool is_level_after_first(double allowed) const {
    constexpr std::size_t kHalf = 5;                     // of these rewards
    constexpr double kNoiseOfHalves = 1.26 / kFarthest;  // difference of their means: two standard errors
    if (size() < 1 + 2 * kHalf) return false;
    double first = 0;
    double second = 0;
    for (std::size_t i = 1; i <= kHalf; ++i) {
      first += rewards_[i] / kHalf;
      second += rewards_[i + kHalf] / kHalf;
    }
    return std::abs(second - first) <= kNoiseOfHalves * allowed && std::min(first, second) > rewards_[0] + allowed;
  }
  bool is_last_fall(std::size_t i) const { return i + 1 == size() && rewards_[i] < before(i); }
  /// Returns whether a reward at one end of the arm is more than `allowed` from what is typical, and too far for the
  /// step from the `next` reward to those `after` that one: curves bend, but not so sharply.
  static bool is_leap(double reward, double typical, double next, double after, double allowed) {
    const double sign = reward < typical ? 1 : -1;
    const double step = sign * (after - next) - kNoiseOfStep * allowed;
    return sign * (typical - reward) > allowed + kSteepest * std::max(0.0, step);
  }
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

/// Returns the rewards of an arm that are more than `allowed` from those next to them.
FarRewards far_rewards(const ArmRewards& arm, double allowed) {
  FarRewards far;
  for (std::size_t i = 0; i < arm.size(); ++i) {
    if (const auto typical = arm.typical_unlike(i, allowed)) {
      (arm.is_open(i) ? far.doubtful : far.outliers)
          .push_back({.pull = arm.pull(i), .reward = arm.reward(i), .typical = *typical});
    }
  }
  const auto last = arm.last_unlike(allowed);
  if (!last) return far;
  const auto is_late = [&](const Outlier& each) { return each.pull >= arm.pull(last->begin); };
  if (std::any_of(far.outliers.begin(), far.outliers.end(), is_late)) return far;
  std::erase_if(far.doubtful, is_late);
  for (std::size_t i = last->begin; i < arm.size(); ++i)
    far.doubtful.push_back({.pull = arm.pull(i), .reward = arm.reward(i), .typical = last->typical});
  return far;
}

void append(std::vector<Outlier>& to, const std::vector<Outlier>& from) {
  to.insert(to.end(), from.begin(), from.end());
}

void sort_by_pull(std::vector<Outlier>& outliers) {
  std::sort(outliers.begin(), outliers.end(), [](const Outlier& a, const Outlier& b) { return a.pull < b.pull; });
}

}  // namespace

FarRewards find_far_rewards(const History& history, const RewardScale& scale, const std::optional<Noise>& noise) {
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
  FarRewards far;
  std::size_t all_found = 0;
  std::size_t all_rewards = 0;
  for (std::size_t i = 0; i < arms.size(); ++i) {
    const FarRewards found = far_rewards(arms[i], kFarthest * std::max(pooled, sds[i]));
    all_found += found.outliers.size();
    all_rewards += arms[i].size();
    append(kOfArm.exceeded(found.outliers.size(), arms[i].size()) ? far.doubtful : far.outliers, found.outliers);
    append(far.doubtful, found.doubtful);
  }
  if (kOfAll.exceeded(all_found, all_rewards)) append(far.doubtful, std::exchange(far.outliers, {}));
  sort_by_pull(far.outliers);
  sort_by_pull(far.doubtful);
  return far;
}

History cleaned(History history, std::span<const Outlier> outliers) {
  for (const Outlier& outlier : outliers) history.pulls[outlier.pull].reward = outlier.typical;
  return history;
}

}  // namespace longrun
