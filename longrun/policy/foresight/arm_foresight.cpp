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

/// Makes futures comparable with the discounted levels of falling arms. The pulls of a falling arm can wait, but so can
/// those of an arm whose future never exceeds the falling arm's level: nothing is lost by pulling the falling arm
/// first. Such futures have the same discount.
void discount_futures_that_wait(const ForesightModel& model, Prospects& prospects) {
  if (model.fall_discount() >= 1) return;
  for (Prospect& future : prospects) {
    const double growth = std::max(0.0, future.average - future.now);
    if (future.now + model.tuning().end_of_growth * growth > model.fall_level()) continue;
    future.average *= model.fall_discount();
    future.now *= model.fall_discount();
  }
}

/// Returns the expected share of the next `remaining` pulls that come after hidden growth has begun. Growth that is
/// still hidden after n pulls stays hidden for d more with probability (1 + d / scale)^-4, where scale is
/// ForesightTuning::hidden_growth_pulls + n; the mean of max(0, 1 - d / remaining) is its integral.
double share_after_growth_begins(double remaining, double scale) {
  const double hidden = scale / (scale + remaining);
  return 1 -
         hidden * (1 + hidden + hidden * hidden) / 3;  // 1 - scale / (3 remaining) (1 - hidden^3), without cancellation
}

/// Returns the number of windows of 2^scale rewards in `horizon` rewards, at least 1.
double windows_of(std::size_t scale, Pulls horizon) {
  return std::max(1.0, std::ldexp(static_cast<double>(horizon), -static_cast<int>(scale)));
}

double window_size(std::size_t scale) { return std::ldexp(1.0, static_cast<int>(scale)); }

}  // namespace

ForesightModel::ForesightModel(Pulls horizon, Arm arms, double sd, const ForesightTuning& tuning)
    : horizon_(horizon), arms_(arms), sd_(sd), tuning_(tuning), shapes_(horizon) {
  derive_from_problem();
}

void ForesightModel::replace_kinds(const CurveKinds& before, const CurveKinds& now) {
  shown_.constant += now.constant - before.constant;
  shown_.grows += now.grows - before.grows;
  shown_.grows_from_zero += now.grows_from_zero - before.grows_from_zero;
}

CurveKinds ForesightModel::prior_kinds() const {
  const double growth = growth_share_ * (1 - tuning_.no_growth);
  const double from_zero = growth_share_ * tuning_.from_zero;
  return {.constant = 1 - growth, .grows = growth - from_zero, .grows_from_zero = from_zero};
}

CurveKinds ForesightModel::kinds_without(const CurveKinds& own) const {
  const CurveKinds prior = prior_kinds();
  const auto weight = [&](double CurveKinds::*kind) {
    return tuning_.prior_arms * prior.*kind + std::max(0.0, shown_.*kind - own.*kind);
  };
  const double constant = weight(&CurveKinds::constant);
  const double grows = weight(&CurveKinds::grows);
  const double grows_from_zero = weight(&CurveKinds::grows_from_zero);
  const double total = constant + grows + grows_from_zero;
  return {.constant = constant / total, .grows = grows / total, .grows_from_zero = grows_from_zero / total};
}

void ForesightModel::derive_from_problem() {
  // The scales of growth, in pulls, are about equally frequent on a logarithmic axis. Growth whose scale is beyond the
  // horizon is no growth here.
  growth_share_ = std::min(1.0, std::log1p(static_cast<double>(horizon_)) / std::log(tuning_.growth_horizon));
  const auto scales = static_cast<double>(std::bit_width(static_cast<std::uint64_t>(horizon_)));
  for (std::size_t scale = 0; scale < mean_quantiles_.size(); ++scale) {
    const double windows = windows_of(scale, horizon_);
    // Union bounds over all scales and windows (an error of each mean, one of each slope), and over all pairs of
    // windows. A normal variable exceeds x standard deviations with probability at most e^(-x^2/2) / 2.
    mean_quantiles_[scale] = std::sqrt(2 * std::log(windows * scales / kForesightTuning.failure));
    fall_quantiles_[scale] =
        std::sqrt(2 * std::log(std::max(1.0, windows * windows * scales / (4 * kForesightTuning.failure))));
    exploration_quantiles_[scale] = std::sqrt(2 * std::log(std::max(1.0, windows / static_cast<double>(arms_))));
  }
}

void ArmForesight::add(double reward, const ForesightModel& model) {
  windows_.add(reward);
  extremes_.add(reward, pulls());
  if (falling()) return;
  growth_.add(model.shapes(), reward);
  highest_.resize(windows_.scales());
  for (std::size_t scale = 0; scale < windows_.scales() && windows_.just_completed(scale); ++scale) {
    // A single outlier is neither a peak nor a fall. Two small windows in a row must agree, and in a large window the
    // reward that is furthest from the others counts only up to a limit.
    const bool in_pairs = scale < kForesightTuning.single_window_scale;
    if (in_pairs && !windows_.has_previous(scale)) continue;
    const double mean = windows_.mean(scale);
    const double low =
        in_pairs ? std::min(windows_.previous_mean(scale), mean) : mean_without_high_outlier(scale, model);
    const double high =
        in_pairs ? std::max(windows_.previous_mean(scale), mean) : mean_without_low_outlier(scale, model);
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

double ArmForesight::mean_without_high_outlier(std::size_t scale, const ForesightModel& model) const {
  const double mean = windows_.mean(scale);
  const double excess = extremes_.highest(scale) - mean - model.tuning().outlier * model.sd();
  return excess > 0 ? mean - excess / (window_size(scale) - 1) : mean;
}

double ArmForesight::mean_without_low_outlier(std::size_t scale, const ForesightModel& model) const {
  const double mean = windows_.mean(scale);
  const double excess = mean - extremes_.lowest(scale) - model.tuning().outlier * model.sd();
  return excess > 0 ? mean + excess / (window_size(scale) - 1) : mean;
}

double ArmForesight::falling_level(const ForesightModel& model) const {
  double lowest = 1;
  for (std::size_t scale = 0; scale < windows_.scales(); ++scale) {
    if (!last_windows_begin_after(*falling_since_, scale, 1)) break;
    const double error = model.sd() * DyadicWindows::error_factor(scale);
    // A single outlier must not end the pulls of the arm, which would then never be corrected.
    const double mean =
        scale < kForesightTuning.single_window_scale
            ? std::max(windows_.mean(scale), windows_.previous_mean(scale) - model.tuning().outlier * error)
            : mean_without_low_outlier(scale, model);
    lowest = std::min(lowest, mean + model.exploration_quantile(scale) * error);
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

void ArmForesight::append_straight_prospects(double weight, Pulls remaining, const ForesightModel& model,
                                             Prospects& prospects) const {
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
    prospects.add({weight / static_cast<double>(kForesightTuning.deviations.size()),
                   1 + Outlook::rising(level, slope).average_less_one(remaining), level});
  }
}

void ArmForesight::show_kind(ForesightModel& model) {
  if (falling() || pulls() < 2) return;  // one reward fits every kind
  const auto made = static_cast<double>(pulls());
  const CurveKinds now = growth_
                             .kinds({.shapes = model.shapes(),
                                     .prior = model.prior_kinds(),
                                     .variance = model.variance(),
                                     .growth_sd = model.tuning().growth_sd})
                             .scaled(made / (made + model.tuning().telling_pulls));
  model.replace_kinds(shown_, now);
  shown_ = now;
}

Prospects ArmForesight::prospects(Pulls remaining, const ForesightModel& model) const {
  return prospects(remaining, most(remaining, model), model);
}

double ArmForesight::most(Pulls remaining, const ForesightModel& model) const {
  return 1 + bound(remaining, model).average_less_one(remaining);
}

Prospects ArmForesight::prospects(Pulls remaining, double most, const ForesightModel& model) const {
  const ForesightTuning& tuning = model.tuning();
  const CurveKinds kinds = model.kinds_without(shown_);
  const double straight = pulls() < 2 ? 0 : tuning.straight_line * kinds.growth();
  const double shown = 1 + static_cast<double>(pulls()) / tuning.hidden_growth_pulls;
  // Growth that is still hidden loses only the root of what growth loses on a short horizon: its delay counts below.
  const double hidden = tuning.hidden_growth * std::min(1.0, kinds.growth() / std::sqrt(model.growth_share())) /
                        (shown * shown * shown * shown);
  const double now = std::clamp(level(model).value, 0.0, 1.0);
  Prospects prospects;
  growth_.append_prospects(
      {.shapes = model.shapes(), .prior = kinds, .variance = model.variance(), .growth_sd = tuning.growth_sd},
      remaining, now, 1 - straight - hidden, prospects);
  if (straight > 0) append_straight_prospects(straight, remaining, model, prospects);
  const double share = share_after_growth_begins(static_cast<double>(remaining), tuning.hidden_growth_pulls * shown);
  prospects.add({hidden, now + share * (std::clamp(most, 0.0, 1.0) - now), now});
  return prospects;
}

double ArmForesight::index(Pulls remaining, const ForesightModel& model) const {
  if (pulls() == 0) return 1;  // it may pay anything
  if (falling()) return model.fall_discount() * falling_level(model);
  const ForesightTuning& tuning = model.tuning();
  const double highest = most(remaining, model);
  Prospects futures = prospects(remaining, highest, model);
  discount_futures_that_wait(model, futures);
  const auto others = static_cast<double>(std::max(1, model.arms() - 1));
  const double trial = tuning.trial_cost * (static_cast<double>(pulls()) + tuning.trial_offset) * others /
                       static_cast<double>(remaining);
  return std::min(index_with_option_to_leave(futures, std::min(1.0, trial)), highest);
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
