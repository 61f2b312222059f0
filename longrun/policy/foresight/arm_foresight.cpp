#include "longrun/policy/foresight/arm_foresight.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace longrun {
namespace {

// How futures are judged: found on the development seeds of the arena (docs/noise-study.md).
constexpr double kStraight = 0.1;       // belief that growth goes on in a straight line, whatever the shapes say
constexpr double kMisfit = 0.003;       // how far off a shape may be where there is hardly any noise
constexpr double kTrialPerPull = 10;    // what a trial costs, in pulls per pull made and other arm
constexpr double kFallShare = 1.0 / 3;  // of the rewards since a peak, in a window that shows how fast an arm falls
constexpr double kFallLasts = 3;        // times as long as it has lasted, a fall goes on at most
constexpr std::size_t kTwiceBelow = 3;  // scales at which two windows have to agree on a fall

/// The m with sum of weight * max(average - m, -trial (m - now)) = 0: whoever tries the arm pays `trial` of the time
/// that is left before knowing which future it is, and may leave then. The sum is convex and falls in m, so Newton's
/// method from the left needs no safeguard and ends after a few steps.
double worth_with_leave(const Prospects& prospects, double trial) {
  double m = 0;
  for (const Prospect& prospect : prospects) m += prospect.weight * prospect.average;
  for (int step = 0; step < 20; ++step) {
    double gain = 0;
    double slope = 0;
    for (const Prospect& prospect : prospects) {
      const double stay = prospect.average - m;
      const double leave = -trial * (m - prospect.now);
      gain += prospect.weight * std::max(stay, leave);
      slope += prospect.weight * (stay >= leave ? 1 : trial);
    }
    if (gain <= 1e-12) break;
    m += gain / slope;
  }
  return m;
}

double square(double x) { return x * x; }

}  // namespace

ForesightModel::ForesightModel(Pulls horizon, Arm arms, double sd) : arms_(arms), sd_(sd), shapes_(horizon) {
  const auto scales = static_cast<double>(std::bit_width(static_cast<std::uint64_t>(horizon)));
  for (std::size_t scale = 0; scale < bound_.size(); ++scale) {
    const double windows = std::max(1.0, std::ldexp(static_cast<double>(horizon), -static_cast<int>(scale)));
    // Union bounds over all scales and windows (an error of each mean, one of each slope), and over all pairs of
    // windows. A normal variable exceeds x standard deviations with probability at most e^(-x^2/2) / 2.
    bound_[scale] = std::sqrt(2 * std::log(windows * scales / kFailure));
    fall_[scale] = std::sqrt(2 * std::log(std::max(1.0, windows * windows * scales / (4 * kFailure))));
    worth_[scale] = std::sqrt(2 * std::log(std::max(1.0, windows / static_cast<double>(arms))));
  }
}

void ArmForesight::add(double reward, const ForesightModel& model) {
  windows_.add(reward);
  if (falling()) return;
  growth_.add(model.shapes(), model.shapes().at(pulls()), reward);
  highest_.resize(windows_.scales());
  for (std::size_t scale = 0; scale < windows_.scales() && windows_.just_completed(scale); ++scale) {
    // Two small windows must agree, on top and below, so that one reward far off passes for neither peak nor fall.
    const bool twice = scale < kTwiceBelow;
    if (twice && !windows_.has_earlier(scale)) continue;
    const double mean = windows_.mean(scale);
    const double low = twice ? std::min(windows_.earlier_mean(scale), mean) : mean;
    const double high = twice ? std::max(windows_.earlier_mean(scale), mean) : mean;
    const double error = model.sd() * DyadicWindows::shrinkage(scale) * std::sqrt(2.0);
    if (highest_[scale].mean - high > model.fall(scale) * error + 1e-12) {
      falling_since_ = pulls() - (Pulls{twice ? 2 : 1} << scale);
      peak_ = highest_[scale];
      growth_ = {};
      highest_ = {};
      return;
    }
    if (low > highest_[scale].mean) highest_[scale] = {low, pulls()};
  }
}

/// Whether the last so many windows of `scale` begin after pull `since`.
bool ArmForesight::fits(std::size_t scale, Pulls windows, Pulls since) const {
  return windows_.end(scale) - (windows << scale) >= since;
}

/// The largest scale of two windows after pull `since` with no more than `largest_size` rewards each; 0 fits if any.
std::size_t ArmForesight::largest_pair(double largest_size, Pulls since) const {
  std::size_t scale = 0;
  while (std::ldexp(1.0, static_cast<int>(scale) + 1) <= largest_size && fits(scale + 1, 2, since)) ++scale;
  return scale;
}

ArmForesight::Trend ArmForesight::trend(std::size_t scale) const {
  const double size = std::ldexp(1.0, static_cast<int>(scale));
  return {.mean = windows_.mean(scale),
          .age = static_cast<double>(pulls() - windows_.end(scale)) + (size - 1) / 2,
          .slope = (windows_.mean(scale) - windows_.earlier_mean(scale)) / size,
          .size = size};
}

double ArmForesight::falling_level(const ForesightModel& model) const {
  double lowest = 1;
  for (std::size_t scale = 0; scale < windows_.scales() && fits(scale, 1, *falling_since_); ++scale) {
    const double error = model.sd() * DyadicWindows::shrinkage(scale);
    lowest = std::min(lowest, windows_.mean(scale) + model.worth(scale) * error);
  }
  return std::max(0.0, lowest);
}

double ArmForesight::falling_average(Pulls remaining, const ForesightModel& model) const {
  const double level = falling_level(model);
  const auto lasted = static_cast<double>(pulls() - peak_.end);
  const std::size_t scale = largest_pair(kFallShare * lasted, peak_.end);
  if (!fits(scale, 2, peak_.end)) return level;
  const Trend recent = trend(scale);
  const double slope = -recent.slope;
  if (slope <= 0) return level;
  const auto left = static_cast<double>(remaining);
  // An exponential fall with a recent slope of p times the slope since the peak has about 1 / (2 (1 - p)) of what
  // has passed ahead of it; one that gets no slower goes on.
  const double pace = slope * lasted / std::max(1e-9, peak_.mean - recent.mean);
  const double ahead = std::min(kFallLasts, 0.5 / std::max(1e-9, 1 - pace));
  const double steps = std::min({left, level / slope, ahead * lasted});
  return level - slope * steps * (1 - steps / (2 * left));
}

void ArmForesight::append_straight_prospects(Pulls remaining, const ForesightModel& model, Prospects& prospects) const {
  const Trend recent = trend(largest_pair(0.5 * static_cast<double>(pulls()), 0));
  const double age = recent.age / recent.size;
  const double level_error = model.sd() * std::sqrt((1 + 2 * age + 2 * age * age) / recent.size);
  const double slope_error = recent.slope_error(model.sd());
  for (const double z : {-1.0, 0.0, 1.0}) {
    const double level = std::clamp(recent.mean + recent.slope * recent.age + z * level_error, 0.0, 1.0);
    // No arm that bends down all along and began at 0 or above rises faster than that.
    const double steepest = level / static_cast<double>(std::max<Pulls>(1, pulls() - 1));
    const double slope = std::clamp(recent.slope + z * slope_error, 0.0, steepest);
    prospects.add({kStraight / 3, 1 + Outlook::rising(level, slope).average_less_one(remaining), level});
  }
}

double ArmForesight::index(Pulls remaining, const ForesightModel& model) const {
  if (pulls() < 2) return 1;
  if (falling()) return model.fall_discount() * falling_level(model);
  Prospects prospects;
  const double now = std::clamp(level(model).value, 0.0, 1.0);
  growth_.append_prospects(model.shapes(), remaining, square(model.sd()) + square(kMisfit), now, 1 - kStraight,
                           prospects);
  append_straight_prospects(remaining, model, prospects);
  const auto others = static_cast<double>(std::max(1, model.arms() - 1));
  const double trial = kTrialPerPull * static_cast<double>(pulls()) * others;
  return std::min(worth_with_leave(prospects, std::min(1.0, trial / static_cast<double>(remaining))),
                  1 + bound(remaining, model).average_less_one(remaining));
}

Outlook ArmForesight::bound(Pulls remaining, const ForesightModel& model) const {
  Outlook lowest;
  double least = 0;
  for (std::size_t scale = 0; scale < windows_.scales(); ++scale) {
    const double error = model.bound(scale) * model.sd() * DyadicWindows::shrinkage(scale);
    Outlook line;
    if (falling()) {
      if (!fits(scale, 1, *falling_since_)) break;
      line = Outlook::constant(std::min(1.0, windows_.mean(scale) + error));
    } else {
      if (!windows_.has_earlier(scale)) break;
      const Trend recent = trend(scale);
      const double slope = std::max(0.0, recent.slope + error * std::sqrt(2.0) / recent.size);
      line = Outlook::rising(std::min(1.0, recent.mean + error + slope * recent.age), slope);
    }
    if (const double average = line.average_less_one(remaining); average < least) {
      least = average;
      lowest = line;
    }
  }
  return lowest;
}

/// Of the last rewards, about a quarter: few enough to be recent, many enough to be exact. While the arm falls, only
/// rewards since.
Measured ArmForesight::level(const ForesightModel& model) const {
  const Pulls since = falling_since_.value_or(0);
  std::size_t scale = 0;
  while (std::ldexp(1.0, static_cast<int>(scale) + 1) <= static_cast<double>(pulls() - since) / 4 &&
         fits(scale + 1, 1, since)) {
    ++scale;
  }
  return {windows_.mean(scale), model.sd() * DyadicWindows::shrinkage(scale)};
}

std::optional<Measured> ArmForesight::slope(const ForesightModel& model) const {
  const Pulls since = falling_since_.value_or(0);
  const std::size_t scale = largest_pair(0.25 * static_cast<double>(pulls() - since), since);
  if (!fits(scale, 2, since)) return std::nullopt;
  const Trend recent = trend(scale);
  return Measured{recent.slope, recent.slope_error(model.sd())};
}

}  // namespace longrun
