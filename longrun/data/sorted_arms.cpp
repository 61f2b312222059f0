#include "longrun/data/sorted_arms.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <map>
#include <optional>
#include <set>

namespace longrun {
namespace {

using Rewards = std::vector<double>;

/// Returns 1 if the rewards of no arm descend from row to row, -1 if those of none ascend, and 0 if neither holds, or
/// if no reward changes.
int common_direction(const History& history) {
  std::vector<std::optional<double>> last(history.arm_names.size());
  bool ascends = false;
  bool descends = false;
  for (const PastPull& pull : history.pulls) {
    if (!pull.reward) continue;
    std::optional<double>& before = last[static_cast<std::size_t>(pull.arm)];
    ascends = ascends || (before && *pull.reward > *before);
    descends = descends || (before && *pull.reward < *before);
    if (ascends && descends) return 0;
    before = pull.reward;
  }
  return ascends ? 1 : descends ? -1 : 0;
}

/// Returns the decimal place of the rewards, such as 0.01; a tiny part of the largest if they have more than 9
/// decimals.
double decimal_place(const std::vector<Rewards>& arms) {
  constexpr double kFinest = 1e9;
  constexpr double kRounding = 1e-4;    // of a decimal place
  constexpr double kPrecision = 1e-12;  // of the largest reward: what numbers with 15 digits can show
  double places = 1;
  double largest = 0;
  for (const Rewards& rewards : arms) {
    for (const double reward : rewards) {
      largest = std::max(largest, std::abs(reward));
      while (places <= kFinest && std::abs(reward * places - std::round(reward * places)) > kRounding) places *= 10;
    }
  }
  return places <= kFinest ? 1 / places : kPrecision * largest;
}

/// How irregular the steps of ascending rewards are, compared with those between sorted random numbers.
///
/// The steps between sorted independent random numbers are, up to a factor that changes slowly, independent exponential
/// random numbers; sums of s of them have a gamma distribution with shape s. So the second differences of the
/// logarithms of steps have the standard deviation sqrt(6 trigamma(s)), while those of a smooth curve are nearly 0. The
/// median ignores the kinks of a curve.
class Irregularity {
 public:
  explicit Irregularity(double unit) : unit_(unit) {}

  /// Adds the rewards of an arm, which ascend.
  void add(const Rewards& rewards) {
    constexpr double kUnitsPerStep = 32;  // decimal places; in smaller steps, rounding is irregular
    constexpr double kFewestUnits = 8;
    constexpr std::size_t kLongestStep = 16;  // rows
    if (rewards.size() < 4) return;
    const double range = rewards.back() - rewards.front();
    const double mean_step = range / static_cast<double>(rewards.size() - 1);
    if (mean_step <= 0 || !std::isfinite(mean_step)) return;
    const double rows = std::ceil(kUnitsPerStep * unit_ / mean_step);
    if (rows > static_cast<double>(kLongestStep)) return;
    const auto stride = static_cast<std::size_t>(std::max(rows, 1.0));
    const auto shape = static_cast<double>(stride);
    const double trigamma =
        stride == 1 ? 1.6449 : 1 / shape + 1 / (2 * shape * shape) + 1 / (6 * shape * shape * shape);
    const double expected = std::sqrt(6 * trigamma);
    std::vector<double> steps;
    for (std::size_t i = stride; i < rewards.size(); i += stride) steps.push_back(rewards[i] - rewards[i - stride]);
    for (std::size_t i = 2; i < steps.size(); ++i) {
      if (std::min({steps[i], steps[i - 1], steps[i - 2]}) < kFewestUnits * unit_) continue;
      bends_.push_back(std::abs(std::log(steps[i]) + std::log(steps[i - 2]) - 2 * std::log(steps[i - 1])) / expected);
    }
  }

  /// Returns whether the steps of all arms are about as irregular as those of sorted noise.
  bool is_that_of_sorted_noise() {
    constexpr std::size_t kFewest = 20;  // second differences
    constexpr double kIrregular = 0.3;   // standard deviations; the median of sorted noise is about 0.6
    if (bends_.size() < kFewest) return false;
    const auto middle = bends_.begin() + static_cast<std::ptrdiff_t>(bends_.size() / 2);
    std::nth_element(bends_.begin(), middle, bends_.end());
    return *middle >= kIrregular;
  }

 private:
  double unit_;
  std::vector<double> bends_;  // absolute second differences of logarithms of steps, in standard deviations
};

/// Returns the quantile of the standard normal distribution, to within 0.0005 (Abramowitz and Stegun, 26.2.23).
double normal_quantile(double probability) {
  if (probability > 0.5) return -normal_quantile(1 - probability);
  const double t = std::sqrt(-2 * std::log(probability));
  const double top = 2.515517 + t * (0.802853 + t * 0.010328);
  return top / (1 + t * (1.432788 + t * (0.189269 + t * 0.001308))) - t;
}

/// Returns the sum of the products of two sequences.
double product(const Rewards& one, const Rewards& other) {
  double sum = 0;
  for (std::size_t i = 0; i < one.size(); ++i) sum += one[i] * other[i];
  return sum;
}

/// Returns the part of the variance of rewards that a shape leaves unexplained. Both have the mean 0.
double unexplained(const Rewards& rewards, const Rewards& shape) {
  const double common = product(rewards, shape);
  return 1 - common * common / (product(rewards, rewards) * product(shape, shape));
}

void subtract_mean(Rewards& values) {
  double sum = 0;
  for (const double value : values) sum += value;
  for (double& value : values) value -= sum / static_cast<double>(values.size());
}

/// How well ascending rewards follow the quantiles of a normal distribution, compared with a parabola.
class NormalShape {
 public:
  /// Adds the rewards of an arm, which ascend.
  void add(Rewards rewards) {
    constexpr std::size_t kFewestRows = 30;  // fewer follow nothing closely
    constexpr std::size_t kFewestValues = 8;
    const std::set<double> values(rewards.begin(), rewards.end());
    if (rewards.size() < kFewestRows || values.size() < kFewestValues) return;
    const auto rows = static_cast<double>(rewards.size());
    Rewards quantiles;
    Rewards line;
    Rewards bend;  // orthogonal to the line, because places are symmetric
    for (std::size_t row = 0; row < rewards.size(); ++row) {
      const double place = static_cast<double>(row) + 0.5;
      quantiles.push_back(normal_quantile(place / rows));
      line.push_back(place - rows / 2);
      bend.push_back(line.back() * line.back());
    }
    subtract_mean(rewards);
    subtract_mean(bend);
    normal_ += unexplained(rewards, quantiles);
    parabola_ += unexplained(rewards, line) + unexplained(rewards, bend) - 1;
    ++arms_;
  }

  bool is_that_of_sorted_noise() const {
    constexpr std::size_t kFewestArms = 2;  // one arm may have any shape
    constexpr double kClose = 0.03;         // of the variance
    constexpr double kCloser = 0.5;         // of what a parabola leaves
    return arms_ >= kFewestArms && normal_ <= kClose * static_cast<double>(arms_) && normal_ <= kCloser * parabola_;
  }

 private:
  std::size_t arms_ = 0;
  double normal_ = 0;    // sum of what the quantiles leave unexplained
  double parabola_ = 0;  // the same for the parabola
};

/// Returns whether the rows of each arm follow each other.
bool are_sorted_by_arm(const History& history) {
  std::vector<bool> seen(history.arm_names.size());
  Arm last = -1;
  for (const PastPull& pull : history.pulls) {
    if (pull.arm == last) continue;
    last = pull.arm;
    if (seen[static_cast<std::size_t>(last)]) return false;
    seen[static_cast<std::size_t>(last)] = true;
  }
  return true;
}

/// The runs of equal rewards of an arm, by their values.
using Runs = std::map<double, std::size_t>;

/// Returns whether the runs are shortest at both ends, and the longest of at least five is between others. The runs of
/// a rounded curve are equal, or longest where it is flat: at an end, or beside one if the log has just left it.
bool look_like_a_bell(const Runs& runs) {
  constexpr std::size_t kFewestValues = 5;
  constexpr std::size_t kLonger = 3;  // times the runs at the ends
  if (runs.size() < kFewestValues) return false;
  const auto longest =
      std::max_element(runs.begin(), runs.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  const auto place = std::distance(runs.begin(), longest);
  const bool is_inside = place >= 2 && place + 2 < std::ssize(runs);
  return is_inside && longest->second >= kLonger * std::max(runs.begin()->second, runs.rbegin()->second);
}

/// Returns whether rewards of few values look sorted. Two values must be those of other arms too, and each repeated: an
/// arm that has failed for good is not pulled so often again.
bool are_sorted_outcomes(const History& history, const std::vector<Rewards>& arms) {
  constexpr std::size_t kMostValues = 10;
  constexpr std::size_t kFewestRows = 5;  // of each of two values
  constexpr std::size_t kFewestArms = 2;
  std::set<double> values;
  std::size_t looking_sorted = 0;
  std::size_t others = 0;
  for (const Rewards& rewards : arms) {
    Runs runs;
    for (const double reward : rewards) ++runs[reward];
    for (const auto& [value, rows] : runs) values.insert(value);
    if (values.size() > kMostValues) return false;
    if (runs.size() < 2) continue;
    const bool are_repeated = std::min(runs.begin()->second, runs.rbegin()->second) >= kFewestRows;
    const bool looks_sorted = runs.size() == 2 ? are_repeated && values.size() == 2 : look_like_a_bell(runs);
    ++(looks_sorted ? looking_sorted : others);
  }
  return looking_sorted >= kFewestArms && looking_sorted > others && are_sorted_by_arm(history);
}

}  // namespace

std::vector<std::string> sorted_arm_warnings(const std::string& path, const History& history, RowNames rows) {
  const int direction = common_direction(history);
  if (direction == 0) return {};
  std::vector<Rewards> arms(history.arm_names.size());  // ascending
  std::optional<std::size_t> first;
  for (const PastPull& pull : history.pulls) {
    if (!pull.reward) continue;
    if (!first) first = static_cast<std::size_t>(pull.line);
    arms[static_cast<std::size_t>(pull.arm)].push_back(direction * *pull.reward);
  }
  Irregularity steps(decimal_place(arms));
  NormalShape shape;
  for (const Rewards& rewards : arms) {
    steps.add(rewards);
    shape.add(rewards);
  }
  if (!steps.is_that_of_sorted_noise() && !shape.is_that_of_sorted_noise() && !are_sorted_outcomes(history, arms))
    return {};
  return {fmt::format(
      "{}: the rows of each arm seem to be sorted by their rewards{}: from {} on, no reward is {} than the one before "
      "it of the same arm, and their steps look like those of sorted noise; rows must be in the order of their pulls{}",
      path, direction > 0 ? ", or rewards to be running totals" : "", row_name(*first, rows),
      direction > 0 ? "smaller" : "larger", direction > 0 ? ", and each reward that of one pull" : "")};
}

}  // namespace longrun
