#include "longrun/decide/advice/outliers.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

namespace longrun {
namespace {

constexpr std::size_t kNeighbours = 3;     // on each side
constexpr std::size_t kFewestRewards = 5;  // rewards of an arm; fewer do not tell what is typical
constexpr double kFarthest = 8;            // standard deviations
// Standard deviation of normal noise by the median distance of a reward from those next to it. The mean of the two
// medians of three, from which the distance is measured, adds 0.22 of the noise's variance.
constexpr double kSdPerMedian = 1.4826 / 1.107;
// Amounts are skewed, as if their logarithms were normal: with a standard deviation of 0.6, 1 of 5 logs of 200 rewards
// has one more than 8 standard deviations away. Of normal logarithms, 1 of 100 logs has one as far as this.
constexpr double kFarthestLogarithm = 4.25;  // standard deviations of the logarithms of positive rewards
/// Mistakes are apart from the other rewards: the largest of many distances by chance are followed by others.
struct GapTuning {
  double ratio = 2.6;   ///< of a mistake's distance and the largest other one. Of Student-t errors with 5 degrees of
                        ///< freedom, 2 % of the largest are as far from the second one
  double at_end = 1.5;  ///< the same for rewards at one end of an arm, of which there are few
  double most = 0.15;   ///< share of the distances above a gap
};
constexpr GapTuning kGap;
constexpr double kNoiseOfStep = 2 / kFarthest;  // part of a step that noise explains, by kFarthest standard deviations
constexpr double kLevelsApart = 0.5;  // part of kFarthest; medians that differ by more have no typical reward between
constexpr double kSteepest = 8;       // ratio of the first two steps of an arm, or of the last two of one that falls

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
  bool positive() const { return *std::min_element(rewards_.begin(), rewards_.end()) > 0; }
  std::size_t pull(std::size_t i) const { return pulls_[i]; }
  double reward(std::size_t i) const { return rewards_[i]; }

  double before(std::size_t i) const { return median_of(i > kNeighbours ? i - kNeighbours : 0, i); }
  double after(std::size_t i) const { return median_of(i + 1, std::min(i + 1 + kNeighbours, size())); }
  /// Returns the distance of a reward, neither the first nor the last, from those next to it.
  double distance(std::size_t i) const { return std::abs(rewards_[i] - (before(i) + after(i)) / 2); }
  /// Returns the distance from the nearer one of the medians before and after it; 0 between them, as at a step.
  double beyond(std::size_t i) const {
    const auto [low, high] = std::minmax({before(i), after(i)});
    return std::max({0.0, rewards_[i] - high, low - rewards_[i]});
  }
  /// Returns distance() of logarithms. The rewards are positive.
  double log_distance(std::size_t i) const { return std::abs(std::log(2 * rewards_[i] / (before(i) + after(i)))); }

  /// Returns what is typical where reward i is, if that is more than `allowed` away and the arm does not explain it.
  std::optional<double> typical_unlike(std::size_t i, double allowed) const {
    const double reward = rewards_[i];
    if (i == 0) {
      const double typical = after(0);
      if (reward < typical && !is_level_after(1, reward, allowed)) return std::nullopt;  // a steep start
      return is_leap(reward, typical, rewards_[1], after(1), allowed) ? std::optional(typical) : std::nullopt;
    }
    if (i + 1 < size()) {
      const auto [low, high] = std::minmax({before(i), after(i)});
      // Where an arm steps, a reward is far only if it is farther away than the step is wide.
      const double far = std::max(allowed, high - low);
      if (reward <= high + far && reward >= low - far) return std::nullopt;
      if (high - low <= kLevelsApart * allowed) return (high + low) / 2;
      return reward > high ? high : low;
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

  /// Rewards at one end of an arm, and the median of those next to them.
  struct EndRewards {
    std::size_t begin = 0;
    std::size_t end = 0;
    double typical = 0;
  };
  /// Returns the first or the last two or three rewards if they are together more than `allowed` above those next to
  /// them, or below. Each of them hides the others: it is next to them. A steep start is none.
  std::optional<EndRewards> first_unlike(double allowed) const {
    for (std::size_t count = 2; count <= kNeighbours && size() >= kFewestRewards + count; ++count) {
      const EndRewards ends{.begin = 0, .end = count, .typical = median_of_next(count)};
      const auto nearest = nearest_unlike(ends);
      if (!nearest || (*nearest < ends.typical && !is_level_after(count, *nearest, allowed))) continue;
      if (is_leap(*nearest, ends.typical, rewards_[count], after(count), allowed)) return ends;
    }
    return std::nullopt;
  }
  std::optional<EndRewards> last_unlike(double allowed) const {
    for (std::size_t count = 2; count <= kNeighbours && size() >= kFewestRewards + count; ++count) {
      const std::size_t begin = size() - count;
      const EndRewards ends{.begin = begin, .end = size(), .typical = median_of_next(begin - kFewestRewards)};
      const auto nearest = nearest_unlike(ends);
      if (nearest && is_leap(*nearest, ends.typical, rewards_[begin - 1], before(begin - 1), allowed)) return ends;
    }
    return std::nullopt;
  }

 private:
  /// Returns the median of kFewestRewards rewards.
  double median_of_next(std::size_t begin) const {
    const auto first = rewards_.begin() + static_cast<std::ptrdiff_t>(begin);
    return median({first, first + static_cast<std::ptrdiff_t>(kFewestRewards)});
  }
  /// Returns which of these rewards is nearest to what is typical; nullopt if some are above it and others below.
  std::optional<double> nearest_unlike(const EndRewards& ends) const {
    const auto [low, high] = std::minmax_element(rewards_.begin() + static_cast<std::ptrdiff_t>(ends.begin),
                                                 rewards_.begin() + static_cast<std::ptrdiff_t>(ends.end));
    if (*low <= ends.typical && ends.typical <= *high) return std::nullopt;
    return *low > ends.typical ? *low : *high;
  }
  /// Returns whether the rewards from number `begin` on are enough to tell a level, which has no trend and is more than
  /// `allowed` above `reward`.
  bool is_level_after(std::size_t begin, double reward, double allowed) const {
    constexpr std::size_t kHalf = 5;                     // of these rewards
    constexpr double kNoiseOfHalves = 1.26 / kFarthest;  // difference of their means: two standard errors
    if (size() < begin + 2 * kHalf) return false;
    double first = 0;
    double second = 0;
    for (std::size_t i = begin; i < begin + kHalf; ++i) {
      first += rewards_[i] / kHalf;
      second += rewards_[i + kHalf] / kHalf;
    }
    return std::abs(second - first) <= kNoiseOfHalves * allowed && std::min(first, second) > reward + allowed;
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

/// Replaces far rewards at one end of an arm, one by one, by all of them, unless some are outliers.
void replace_at_end(FarRewards& far, const ArmRewards& arm, const std::optional<ArmRewards::EndRewards>& ends) {
  if (!ends) return;
  const auto is_there = [&](const Outlier& each) {
    return each.pull >= arm.pull(ends->begin) && each.pull <= arm.pull(ends->end - 1);
  };
  if (std::any_of(far.outliers.begin(), far.outliers.end(), is_there)) return;
  std::erase_if(far.doubtful, is_there);
  for (std::size_t i = ends->begin; i < ends->end; ++i)
    far.doubtful.push_back({.pull = arm.pull(i), .reward = arm.reward(i), .typical = ends->typical});
}

/// The most that a reward may be away from those next to it.
struct Allowed {
  double distance = 0;
  double log_distance = 0;  // of positive rewards; else 0
  double apart = 0;         // a mistake is farther away than this, too, because it is apart from other rewards
  double apart_at_end = 0;  // the same for a reward at one end of an arm
};

/// Distances of rewards from those next to them.
struct Distances {
  std::vector<double> plain;
  std::vector<double> logarithms;  // empty if some rewards are not positive
  std::vector<double> beyond;      // distances from the nearer one of the medians before and after

  void append(const Distances& others) {
    plain.insert(plain.end(), others.plain.begin(), others.plain.end());
    logarithms.insert(logarithms.end(), others.logarithms.begin(), others.logarithms.end());
  }
};

/// Returns the largest of these distances, given in standard deviations, that has no gap of a factor of
/// GapTuning::ratio above it: those above the gap are mistakes.
double largest_below_gap(std::vector<double> distances) {
  const auto all = static_cast<double>(distances.size());
  const std::size_t most =
      std::min(distances.size(), 1 + std::max<std::size_t>(1, static_cast<std::size_t>(kGap.most * all)));
  std::partial_sort(distances.begin(), distances.begin() + static_cast<std::ptrdiff_t>(most), distances.end(),
                    std::greater<>());
  std::size_t apart = 0;
  for (std::size_t i = 0; i + 1 < most; ++i) {
    if (distances[i] >= std::max(kFarthest, kGap.ratio * distances[i + 1])) apart = i + 1;
  }
  return apart < distances.size() ? distances[apart] : 0;
}

/// Returns the most that the rewards of each arm may be away: by the standard deviation of the arm, or of all arms if
/// that is larger.
std::vector<Allowed> allowed_by_arm(const Distances& all, const std::vector<Distances>& own) {
  const double sd_of_all = sd_of(all.plain);
  const double logarithm_of_all = sd_of(all.logarithms);
  std::vector<double> scaled;  // distances in standard deviations
  std::vector<Allowed> allowed;
  for (const Distances& arm : own) {
    const double sd = std::max(sd_of_all, sd_of(arm.plain));
    for (const double distance : arm.beyond) scaled.push_back(distance / sd);
    allowed.push_back(
        {.distance = sd, .log_distance = kFarthestLogarithm * std::max(logarithm_of_all, sd_of(arm.logarithms))});
  }
  const double largest = largest_below_gap(std::move(scaled));
  for (Allowed& arm : allowed) {
    arm.apart = kGap.ratio * largest * arm.distance;
    arm.apart_at_end = kGap.at_end * largest * arm.distance;
    arm.distance *= kFarthest;
  }
  return allowed;
}

/// Returns the rewards of an arm that are farther than allowed from those next to them.
FarRewards far_rewards(const ArmRewards& arm, const Allowed& allowed) {
  FarRewards far;
  for (std::size_t i = 0; i < arm.size(); ++i) {
    if (const auto typical = arm.typical_unlike(i, allowed.distance)) {
      (arm.is_open(i) ? far.doubtful : far.outliers)
          .push_back({.pull = arm.pull(i), .reward = arm.reward(i), .typical = *typical});
    }
  }
  replace_at_end(far, arm, arm.first_unlike(allowed.distance));
  replace_at_end(far, arm, arm.last_unlike(allowed.distance));
  if (allowed.log_distance > 0) {
    const auto is_skew = [&](const Outlier& each) {
      return std::abs(std::log(each.reward / each.typical)) <= allowed.log_distance;
    };
    std::erase_if(far.outliers, is_skew);
    std::erase_if(far.doubtful, is_skew);
  }
  return far;
}

/// Removes the rewards that are far, but not apart from others.
void erase_not_apart(FarRewards& far, const Allowed& allowed) {
  const auto erase = [](std::vector<Outlier>& from, double apart) {
    std::erase_if(from, [=](const Outlier& each) { return std::abs(each.reward - each.typical) <= apart; });
  };
  erase(far.outliers, allowed.apart);
  erase(far.doubtful, allowed.apart_at_end);
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
  const bool positive = std::all_of(arms.begin(), arms.end(), [](const ArmRewards& arm) { return arm.positive(); });
  Distances all;
  std::vector<Distances> own;  // by arm
  for (const ArmRewards& arm : arms) {
    Distances of_arm;
    for (std::size_t i = 1; i + 1 < arm.size(); ++i) {
      if (at_end(arm.reward(i))) continue;
      of_arm.plain.push_back(arm.distance(i));
      of_arm.beyond.push_back(arm.beyond(i));
      if (positive) of_arm.logarithms.push_back(arm.log_distance(i));
    }
    all.append(of_arm);
    own.push_back(std::move(of_arm));
  }
  // Rewards are yes or no, or most are the same, as if they were counts of rare events.
  if (all.plain.empty() || !(median(all.plain) > 0)) return {};
  const std::vector<Allowed> allowed = allowed_by_arm(all, own);
  FarRewards far;
  std::size_t all_found = 0;
  std::size_t all_rewards = 0;
  for (std::size_t i = 0; i < arms.size(); ++i) {
    FarRewards found = far_rewards(arms[i], allowed[i]);
    const bool too_many = kOfArm.exceeded(found.outliers.size(), arms[i].size());
    all_found += found.outliers.size();
    all_rewards += arms[i].size();
    erase_not_apart(found, allowed[i]);
    append(too_many ? far.doubtful : far.outliers, found.outliers);
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
