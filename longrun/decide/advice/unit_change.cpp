#include "longrun/decide/advice/unit_change.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace longrun {
namespace {

/// Limits of what counts as another unit; logarithms are natural. Found with simulated arms that change their unit, or
/// jump by other factors (unit_change_test.cpp).
struct UnitTuning {
  std::size_t fewest = 8;         ///< rewards on each side of a change, and of an arm
  double least_step = 6;          ///< of the logarithms at a change, in their standard deviations
  double sudden = 0.8;            ///< part of the step between the rewards right before the change and right after it
  std::size_t next = 3;           ///< rewards right before and right after it
  double errors = 1.5;            ///< standard errors of the step within which it is a power of ten
  double least_tolerance = 0.02;  ///< of the step, however small its error is: curves move on
  double most_tolerance = 0.08;   ///< of the step, however large its error is: 1 of 14 arbitrary factors is as near
  double same_noise = 2;          ///< ratio of the standard deviations of the logarithms on both sides, at most
  double shared_level = 0.7;      ///< distance of the highest and the lowest mean of the other arms: a factor of 2
  double near_level = 0.35;       ///< distance of an arm from their mean, after conversion: a factor of 1.4
  std::size_t other_arms = 2;     ///< at least, that share a level
};
constexpr UnitTuning kUnitTuning;

/// Mean and standard deviation.
struct LogLevel {
  double mean = 0;
  double sd = 0;
};

/// The logarithms of an arm's rewards, and sums over the first of them.
struct ArmLogarithms {
  std::vector<double> logs{};
  std::vector<std::size_t> pulls{};
  std::vector<double> sums{0};
  std::vector<double> squares{0};
  bool positive = true;

  void add(std::size_t pull, double reward) {
    if (!(reward > 0)) positive = false;
    if (!positive) return;
    pulls.push_back(pull);
    logs.push_back(std::log(reward));
    sums.push_back(sums.back() + logs.back());
    squares.push_back(squares.back() + logs.back() * logs.back());
  }
  std::size_t size() const { return logs.size(); }
  LogLevel level(std::size_t begin, std::size_t end) const {
    const auto count = static_cast<double>(end - begin);
    const double mean = (sums[end] - sums[begin]) / count;
    return {.mean = mean, .sd = std::sqrt(std::max(0.0, (squares[end] - squares[begin]) / count - mean * mean))};
  }
  /// Returns the place at which two means fit best.
  std::size_t best_split() const {
    std::size_t best = kUnitTuning.fewest;
    double most = -1;
    for (std::size_t at = kUnitTuning.fewest; at + kUnitTuning.fewest <= size(); ++at) {
      const double step = level(at, size()).mean - level(0, at).mean;
      const double explained = step * step * static_cast<double>(at) * static_cast<double>(size() - at);
      if (explained > most) {
        most = explained;
        best = at;
      }
    }
    return best;
  }
};

/// A line through the logarithms of one side of a change.
struct SideOfChange {
  double at_change = 0;  // the line's value there
  double error = 0;      // its standard error
};

/// Returns the line through the logarithms from `begin` to `end`. `at` is the place of the change.
SideOfChange side_of_change(const ArmLogarithms& rewards, std::size_t begin, std::size_t end, double at) {
  const auto count = static_cast<double>(end - begin);
  const LogLevel level = rewards.level(begin, end);
  const double centre = static_cast<double>(begin) + (count - 1) / 2;
  double moment = 0;
  for (std::size_t i = begin; i < end; ++i) moment += (static_cast<double>(i) - centre) * rewards.logs[i];
  const double spread = count * (count * count - 1) / 12;
  const double slope = moment / spread;
  const double noise = std::sqrt(std::max(0.0, level.sd * level.sd - slope * moment / count));
  const double reach = at - centre;
  return {.at_change = level.mean + slope * reach, .error = noise * std::sqrt(1 / count + reach * reach / spread)};
}

/// Returns the exponent of the power of ten nearest to exp(`step`).
double nearest_exponent(double step) { return std::round(step / std::numbers::ln10); }

bool have_same_noise(double a, double b) {
  constexpr double kDigits = 1e-6;  // exact rewards have the noise of their digits
  return std::max(a, b) <= kUnitTuning.same_noise * std::min(a, b) + kDigits;
}

/// Returns the change of the unit within an arm.
std::optional<UnitChange> change_within(Arm arm, const ArmLogarithms& rewards) {
  if (rewards.size() < 2 * kUnitTuning.fewest) return std::nullopt;
  const std::size_t at = rewards.best_split();
  const LogLevel before = rewards.level(0, at);
  const LogLevel after = rewards.level(at, rewards.size());
  const double step = after.mean - before.mean;
  const double exponent = nearest_exponent(step);
  const double sd = std::max(before.sd, after.sd);
  if (exponent == 0 || std::abs(step) < kUnitTuning.least_step * sd || !have_same_noise(before.sd, after.sd))
    return std::nullopt;
  const double at_change =
      rewards.level(at, at + kUnitTuning.next).mean - rewards.level(at - kUnitTuning.next, at).mean;
  if (at_change / step < kUnitTuning.sudden) return std::nullopt;
  const double place = static_cast<double>(at) - 0.5;
  const SideOfChange left = side_of_change(rewards, 0, at, place);
  const SideOfChange right = side_of_change(rewards, at, rewards.size(), place);
  const double error = std::hypot(left.error, right.error);
  const double tolerance =
      std::clamp(kUnitTuning.errors * error, kUnitTuning.least_tolerance, kUnitTuning.most_tolerance);
  if (std::abs(right.at_change - left.at_change - exponent * std::numbers::ln10) > tolerance) return std::nullopt;
  return UnitChange{.arm = arm, .pull = rewards.pulls[at], .factor = std::pow(10, exponent)};
}

/// Returns the unit of all rewards of an arm if it is another one than that of the other arms, which must share a
/// level.
std::optional<UnitChange> change_throughout(std::size_t arm, const std::vector<std::optional<LogLevel>>& levels) {
  double lowest = std::numeric_limits<double>::infinity();
  double highest = -lowest;
  double sum = 0;
  double sds = 0;
  std::size_t others = 0;
  for (std::size_t other = 0; other < levels.size(); ++other) {
    if (other == arm) continue;
    if (!levels[other]) return std::nullopt;
    lowest = std::min(lowest, levels[other]->mean);
    highest = std::max(highest, levels[other]->mean);
    sum += levels[other]->mean;
    sds += levels[other]->sd;
    ++others;
  }
  if (!levels[arm] || others < kUnitTuning.other_arms || highest - lowest > kUnitTuning.shared_level)
    return std::nullopt;
  const auto count = static_cast<double>(others);
  const double distance = levels[arm]->mean - sum / count;
  const double exponent = nearest_exponent(distance);
  if (exponent == 0 || std::abs(distance - exponent * std::numbers::ln10) > kUnitTuning.near_level) return std::nullopt;
  if (!have_same_noise(levels[arm]->sd, sds / count)) return std::nullopt;
  return UnitChange{.arm = static_cast<Arm>(arm), .factor = std::pow(10, exponent)};
}

}  // namespace

std::vector<UnitChange> find_unit_changes(const History& history) {
  std::vector<ArmLogarithms> arms(history.arm_names.size());
  for (std::size_t i = 0; i < history.pulls.size(); ++i) {
    const PastPull& pull = history.pulls[i];
    if (pull.reward) arms[static_cast<std::size_t>(pull.arm)].add(i, *pull.reward);
  }
  std::vector<UnitChange> changes;
  std::vector<std::optional<LogLevel>> levels;
  std::size_t judged = 0;
  for (std::size_t arm = 0; arm < arms.size(); ++arm) {
    const ArmLogarithms& rewards = arms[arm];
    const bool is_known = rewards.positive && rewards.size() >= kUnitTuning.fewest;
    levels.push_back(is_known ? std::optional(rewards.level(0, rewards.size())) : std::nullopt);
    if (!is_known) continue;
    ++judged;
    if (const auto change = change_within(static_cast<Arm>(arm), rewards)) changes.push_back(*change);
  }
  // Only the lowest and the highest arm can be unlike all others.
  if (!changes.empty() || judged < arms.size() || arms.empty()) return changes;
  const auto [low, high] =
      std::minmax_element(levels.begin(), levels.end(), [](const auto& a, const auto& b) { return a->mean < b->mean; });
  for (const auto end : {low, high}) {
    if (const auto change = change_throughout(static_cast<std::size_t>(end - levels.begin()), levels)) {
      changes.push_back(*change);
      break;
    }
  }
  return changes;
}

}  // namespace longrun
