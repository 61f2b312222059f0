#include "longrun/policy/foresight/arm_foresight.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

namespace longrun {
namespace {

constexpr double kRounding = 1e-12;  // differences of rewards below it are rounding errors
constexpr double kSmallest = 1e-9;   // divisors are kept above it

/// Returns the m with sum of weight * max(average - m, -trial (m - now)) = 0. A trial of the arm takes the share
/// `trial` of the remaining pulls; after it the future is known, and the arm can be left for one that pays m. The sum
/// is convex and falls in m, so Newton's method from the left needs no safeguard and converges in a few steps.
double index_with_option_to_leave(const Prospects& prospects, double trial) {
  constexpr int kMostSteps = 20;
  double m = 0;
  for (const Prospect& prospect : prospects) m += prospect.weight * prospect.average;
  for (int step = 0; step < kMostSteps; ++step) {
    double gain = 0;
    double slope = 0;
    for (const Prospect& prospect : prospects) {
      const double stay = prospect.average - m;
      const double leave = -trial * (m - prospect.now);
      gain += prospect.weight * std::max(stay, leave);
      slope += prospect.weight * (stay >= leave ? 1 : trial);
    }
    if (gain <= kRounding) break;
    m += gain / slope;
  }
  return m;
}

double square(double x) { return x * x; }

/// Returns the number of windows of 2^scale rewards in `horizon` rewards, at least 1.
double windows_of(std::size_t scale, Pulls horizon) {
  return std::max(1.0, std::ldexp(static_cast<double>(horizon), -static_cast<int>(scale)));
}

double window_size(std::size_t scale) { return std::ldexp(1.0, static_cast<int>(scale)); }

}  // namespace

ForesightModel::ForesightModel(Pulls horizon, Arm arms, double sd)
    : horizon_(horizon), arms_(arms), sd_(sd), shapes_(horizon) {
  const auto scales = static_cast<double>(std::bit_width(static_cast<std::uint64_t>(horizon)));
  for (std::size_t scale = 0; scale < mean_quantiles_.size(); ++scale) {
    const double windows = windows_of(scale, horizon);
    // Union bounds over all scales and windows (an error of each mean, one of each slope), and over all pairs of
    // windows. A normal variable exceeds x standard deviations with probability at most e^(-x^2/2) / 2.
    mean_quantiles_[scale] = std::sqrt(2 * std::log(windows * scales / kForesightTuning.failure));
    fall_quantiles_[scale] =
        std::sqrt(2 * std::log(std::max(1.0, windows * windows * scales / (4 * kForesightTuning.failure))));
  }
  compute_exploration_quantiles();
}

void ForesightModel::compute_exploration_quantiles() {
  for (std::size_t scale = 0; scale < exploration_quantiles_.size(); ++scale) {
    const double windows_per_arm = windows_of(scale, horizon_) / static_cast<double>(arms_);
    exploration_quantiles_[scale] = std::sqrt(2 * std::log(std::max(1.0, windows_per_arm)));
  }
}

void ArmForesight::add(double reward, const ForesightModel& model) {
  windows_.add(reward);
  if (falling()) return;
  growth_.add(model.shapes(), reward);
  highest_.resize(windows_.scales());
  for (std::size_t scale = 0; scale < windows_.scales() && windows_.just_completed(scale); ++scale) {
    // Two small windows in a row must agree, at the peak and in the fall, so that a single outlier counts as neither.
    const bool in_pairs = scale < kForesightTuning.single_window_scale;
    if (in_pairs && !windows_.has_previous(scale)) continue;
    const double mean = windows_.mean(scale);
    const double low = in_pairs ? std::min(windows_.previous_mean(scale), mean) : mean;
    const double high = in_pairs ? std::max(windows_.previous_mean(scale), mean) : mean;
    const double error = model.sd() * DyadicWindows::error_factor(scale) * std::sqrt(2.0);
    if (highest_[scale].mean - high > model.fall_quantile(scale) * error + kRounding) {
      falling_since_ = pulls() - (Pulls{in_pairs ? 2 : 1} << scale);
      peak_ = highest_[scale];
      growth_ = {};
      highest_ = {};
      return;
    }
    if (low > highest_[scale].mean) highest_[scale] = {low, pulls()};
  }
}

/// Returns whether the last `windows` windows of `scale` begin after reward number `since`.
bool ArmForesight::last_windows_begin_after(Pulls since, std::size_t scale, Pulls windows) const {
  return windows_.end(scale) - (windows << scale) >= since;
}

/// Returns the largest scale that has two windows after reward number `since`, of at most `largest_size` rewards each;
/// 0 if no scale has, so the caller must check that scale 0 does.
std::size_t ArmForesight::largest_pair_scale(double largest_size, Pulls since) const {
  std::size_t scale = 0;
  while (window_size(scale + 1) <= largest_size && last_windows_begin_after(since, scale + 1, 2)) ++scale;
  return scale;
}

ArmForesight::Trend ArmForesight::trend(std::size_t scale) const {
  const double size = window_size(scale);
  return {.mean = windows_.mean(scale),
          .age = static_cast<double>(pulls() - windows_.end(scale)) + (size - 1) / 2,
          .slope = (windows_.mean(scale) - windows_.previous_mean(scale)) / size,
          .size = size};
}

double ArmForesight::falling_level(const ForesightModel& model) const {
  double lowest = 1;
  for (std::size_t scale = 0; scale < windows_.scales(); ++scale) {
    if (!last_windows_begin_after(*falling_since_, scale, 1)) break;
    const double error = model.sd() * DyadicWindows::error_factor(scale);
    lowest = std::min(lowest, windows_.mean(scale) + model.exploration_quantile(scale) * error);
  }
  return std::max(0.0, lowest);
}

double ArmForesight::falling_average(Pulls remaining, const ForesightModel& model) const {
  const double level = falling_level(model);
  const auto duration = static_cast<double>(pulls() - peak_.end);
  const std::size_t scale = largest_pair_scale(kForesightTuning.fall_window * duration, peak_.end);
  if (!last_windows_begin_after(peak_.end, scale, 2)) return level;
  const Trend recent = trend(scale);
  const double slope = -recent.slope;
  if (slope <= 0) return level;
  const auto future = static_cast<double>(remaining);
  // An exponential fall whose recent slope is p times its slope since the peak continues for about 1 / (2 (1 - p)) of
  // its duration so far. If the recent slope is not smaller, the fall continues for as long as the limit allows.
  const double slope_ratio = slope * duration / std::max(kSmallest, peak_.mean - recent.mean);
  const double durations_ahead = std::min(kForesightTuning.longest_fall, 0.5 / std::max(kSmallest, 1 - slope_ratio));
  const double steps = std::min({future, level / slope, durations_ahead * duration});
  return level - slope * steps * (1 - steps / (2 * future));
}

void ArmForesight::append_straight_prospects(Pulls remaining, const ForesightModel& model, Prospects& prospects) const {
  const Trend recent =
      trend(largest_pair_scale(kForesightTuning.straight_line_window * static_cast<double>(pulls()), 0));
  const double age = recent.age / recent.size;
  const double level_error = model.sd() * std::sqrt((1 + 2 * age + 2 * age * age) / recent.size);
  const double slope_error = recent.slope_error(model.sd());
  for (const double z : kForesightTuning.deviations) {
    const double level = std::clamp(recent.mean + recent.slope * recent.age + z * level_error, 0.0, 1.0);
    // The slope of a concave curve that started at 0 or above is at most that of the line from its start.
    const double steepest = level / static_cast<double>(std::max<Pulls>(1, pulls() - 1));
    const double slope = std::clamp(recent.slope + z * slope_error, 0.0, steepest);
    prospects.add({kForesightTuning.straight_line / static_cast<double>(kForesightTuning.deviations.size()),
                   1 + Outlook::rising(level, slope).average_less_one(remaining), level});
  }
}

double ArmForesight::index(Pulls remaining, const ForesightModel& model) const {
  if (pulls() < 2) return 1;  // one reward bounds no trend
  if (falling()) return model.fall_discount() * falling_level(model);
  Prospects prospects;
  const double now = std::clamp(level(model).value, 0.0, 1.0);
  growth_.append_prospects(model.shapes(), remaining, square(model.sd()) + square(kForesightTuning.misfit_sd), now,
                           1 - kForesightTuning.straight_line, prospects);
  append_straight_prospects(remaining, model, prospects);
  const auto others = static_cast<double>(std::max(1, model.arms() - 1));
  const double trial = kForesightTuning.trial_cost * static_cast<double>(pulls()) * others;
  return std::min(index_with_option_to_leave(prospects, std::min(1.0, trial / static_cast<double>(remaining))),
                  1 + bound(remaining, model).average_less_one(remaining));
}

Outlook ArmForesight::bound(Pulls remaining, const ForesightModel& model) const {
  Outlook lowest;
  double lowest_average = 0;
  for (std::size_t scale = 0; scale < windows_.scales(); ++scale) {
    const double error = model.mean_quantile(scale) * model.sd() * DyadicWindows::error_factor(scale);
    Outlook line;
    if (falling()) {
      if (!last_windows_begin_after(*falling_since_, scale, 1)) break;
      line = Outlook::constant(std::min(1.0, windows_.mean(scale) + error));
    } else {
      if (!windows_.has_previous(scale)) break;
      const Trend recent = trend(scale);
      const double slope = std::max(0.0, recent.slope + error * std::sqrt(2.0) / recent.size);
      line = Outlook::rising(std::min(1.0, recent.mean + error + slope * recent.age), slope);
    }
    if (const double average = line.average_less_one(remaining); average < lowest_average) {
      lowest_average = average;
      lowest = line;
    }
  }
  return lowest;
}

Measured ArmForesight::level(const ForesightModel& model) const {
  const Pulls since = falling_since_.value_or(0);
  const double largest_size = kForesightTuning.level_window * static_cast<double>(pulls() - since);
  std::size_t scale = 0;
  while (window_size(scale + 1) <= largest_size && last_windows_begin_after(since, scale + 1, 1)) ++scale;
  return {windows_.mean(scale), model.sd() * DyadicWindows::error_factor(scale)};
}

}  // namespace longrun
