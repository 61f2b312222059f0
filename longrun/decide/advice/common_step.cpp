#include "longrun/decide/advice/common_step.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "longrun/decide/advice/arm_population.h"
#include "longrun/decide/advice/common_change.h"
#include "longrun/decide/advice/reward_summary.h"

namespace longrun {
namespace {

constexpr std::array<std::size_t, 9> kStepWindows{3, 5, 8, 13, 21, 34, 55, 89, 144};  // rewards of an arm on each side

/// What steps are judged by. Found on level, rising, falling, single-peaked and mixed arms with five kinds of noise,
/// and on autocorrelated noise, seasons and falls near each other; common_step_test.cpp has these logs with other
/// seeds.
struct StepTuning {
  std::size_t newest = 20'000;  ///< rewards that count
  double most_of_arm = 4;       ///< standard errors that an arm counts at most, so that no arm makes a step alone
  double clear = 4.5;       ///< standard errors of the arms together: at most 5 of 100 logs without a step have them
  double nearly_all = 0.8;  ///< of the arms
  double same_place = 16;   ///< squared standard deviations by which an arm's rewards may fit another place better
  double same_place_per_arm = 4;  ///< the same if there are few arms, for each of them
  double enough_places = 1;       ///< windows that the places elsewhere fill, which tell what noise alone makes
  double rounding = 1e-9;         ///< of the rewards' size, as if it were noise
  double taken_back = 0.5;        ///< of a step; a second one that takes it back differs by less
  double stays = 0.25;            ///< of a step; the mean of the rewards after it differs by less until then
  double more_than_season = 3;    ///< standard deviations of a change in common; a sine goes from end to end in 2.8
  double same_factor = 1.6;       ///< ratio of an arm's change to ten, either way; changes by more may be events
  double same_large_factor = 3;   ///< the same of 100, 1000, ...: small numbers are rounded
};
constexpr StepTuning kTuning;

/// A line through rewards at equal distances: its ends, half a pull before the first and after the last reward.
struct WindowLine {
  double begin = 0;
  double end = 0;
  double squares = 0;  // of the residuals
};

/// The rewards of an arm, and sums over their beginnings.
class SteppingArm {
 public:
  void add(double reward) { rewards_.push_back(reward); }
  std::size_t size() const { return rewards_.size(); }

  void complete() {
    if (size() < static_cast<std::size_t>(kFewestToJudge)) return;
    for (const double reward : rewards_) mean_ += reward / static_cast<double>(size());
    sums_.resize(size() + 1);
    curvature_.resize(size() + 1);
    for (std::size_t i = 0; i < size(); ++i) {
      const auto x = static_cast<double>(i);
      const double y = rewards_[i] - mean_;
      sums_[i + 1] = {sums_[i].y + y, sums_[i].xy + x * y, sums_[i].yy + y * y};
      const bool inside = i >= 1 && i + 1 < size();
      const double bend = inside ? rewards_[i - 1] - 2 * y - 2 * mean_ + rewards_[i + 1] : 0;
      curvature_[i + 1] = curvature_[i] + bend * bend;
    }
  }

  /// A step between two successive rewards.
  struct Step {
    double gap = 0;     // its size in standard errors, with its sign
    double errors = 0;  // the same; 0 if a steep curve explains it
    double before = 0;  // where the lines of the windows meet the step
    double after = 0;
  };
  /// Returns the step before reward `at`; nullopt if a window has too few rewards.
  std::optional<Step> step(std::size_t at, std::size_t window) const {
    if (size() < static_cast<std::size_t>(kFewestToJudge)) return std::nullopt;
    const std::size_t left = std::min(window, at);
    const std::size_t right = std::min(window, size() - at);
    if (std::min(left, right) < kStepWindows[0]) return std::nullopt;
    const WindowLine before = line(at - left, at);
    const WindowLine after = line(at, at + right);
    Step result{.before = before.end, .after = after.begin};
    const double size_of_step = after.begin - before.end;
    const double slope = std::max(std::abs(before.end - before.begin) / static_cast<double>(left),
                                  std::abs(after.end - after.begin) / static_cast<double>(right));
    const double explained = slope * static_cast<double>(std::max(left, right));
    const double own = (before.squares + after.squares) / static_cast<double>(left + right - 4);
    const double rounding = kTuning.rounding * (std::abs(mean_) + std::abs(size_of_step));
    const double variance = std::max({own, variance_without(at), rounding * rounding});
    result.gap = size_of_step / std::sqrt(variance * (error_of_end(left) + error_of_end(right)));
    if (std::abs(size_of_step) > explained) result.errors = result.gap;
    return result;
  }
  /// Returns by how many squared standard deviations of the noise two lines fit better with a step in the same
  /// direction at another reward of the windows than with the one before reward `at`.
  double better_elsewhere(std::size_t at, std::size_t window) const {
    const std::size_t begin = at - std::min(window, at);
    const std::size_t end = at + std::min(window, size() - at);
    const auto gap = [&](std::size_t place) { return line(place, end).begin - line(begin, place).end; };
    const auto squares = [&](std::size_t place) { return line(begin, place).squares + line(place, end).squares; };
    double least = squares(at);
    std::size_t best = at;
    for (std::size_t place = begin + kStepWindows[0]; place + kStepWindows[0] <= end; ++place) {
      if (gap(place) * gap(at) <= 0 || squares(place) >= least) continue;
      least = squares(place);
      best = place;
    }
    const double own = least / std::max(1.0, static_cast<double>(end - begin) - 4);
    const double rounding = kTuning.rounding * (std::abs(mean_) + std::abs(gap(at)));
    const double variance = std::max({own, variance_without(best), rounding * rounding});
    return (squares(at) - least) / variance;
  }

 private:
  struct Sums {
    double y = 0;
    double xy = 0;
    double yy = 0;
  };

  /// Returns the variance of a line at its end, half a pull after the last of `count` rewards with a variance of 1.
  static double error_of_end(std::size_t count) {
    const auto n = static_cast<double>(count);
    return 1 / n + 3 * n / (n * n - 1);
  }
  /// Returns the line through the rewards from `begin` to `end`.
  WindowLine line(std::size_t begin, std::size_t end) const {
    const auto n = static_cast<double>(end - begin);
    const double centre = static_cast<double>(begin) + (n - 1) / 2;
    const double y = sums_[end].y - sums_[begin].y;
    const double xy = sums_[end].xy - sums_[begin].xy - centre * y;
    const double xx = n * (n * n - 1) / 12;
    const double slope = xy / xx;
    const double level = mean_ + y / n;
    const double squares = sums_[end].yy - sums_[begin].yy - y * y / n - slope * xy;
    return {.begin = level - slope * n / 2, .end = level + slope * n / 2, .squares = std::max(0.0, squares)};
  }
  /// Returns the variance of the noise by second differences that do not contain the step before reward `at`.
  double variance_without(std::size_t at) const {
    const double sum = curvature_[size()] - (curvature_[at + 1] - curvature_[at - 1]);
    return std::max(0.0, sum) / (6 * static_cast<double>(size() - 4));
  }

  std::vector<double> rewards_;
  double mean_ = 0;
  std::vector<Sums> sums_;         // sums_[i] are over the first i rewards, less their mean
  std::vector<double> curvature_;  // curvature_[i] is the sum of the squared second differences of the first i rewards
};

/// A place of a history and how clearly the arms step there.
struct PlaceOfStep {
  std::size_t reward = 0;  // the first reward after it, of those that count
  std::size_t window = 0;
  double clarity = 0;
};

/// The known rewards of a history, the newest ones, in order and by arm.
struct RewardsOfSteps {
  struct Reward {
    std::size_t arm = 0;
    std::size_t pull = 0;  // place in the history
  };
  std::vector<Reward> order;
  std::vector<SteppingArm> arms;

  explicit RewardsOfSteps(const History& history) : arms(history.arm_names.size()) {
    std::size_t skipped = 0;
    for (const PastPull& pull : history.pulls) skipped += pull.reward ? 1U : 0U;
    skipped -= std::min(skipped, kTuning.newest);
    for (std::size_t i = 0; i < history.pulls.size(); ++i) {
      const PastPull& pull = history.pulls[i];
      if (!pull.reward) continue;
      if (skipped > 0) {
        --skipped;
        continue;
      }
      order.push_back({static_cast<std::size_t>(pull.arm), i});
      arms[order.back().arm].add(*pull.reward);
    }
    for (SteppingArm& arm : arms) arm.complete();
  }
};

/// The steps of all arms at one place, which moves forward.
class StepsAtPlace {
 public:
  using Step = SteppingArm::Step;
  /// Replaces the step of one arm.
  void replace(std::optional<Step>& old, const std::optional<Step>& now) {
    if (old) count(*old, -1);
    if (now) count(*now, 1);
    old = now;
  }
  /// Returns the size of the gap that the arms have in common, in standard errors, with its sign.
  double gap() const { return judged_ < 2 ? 0 : gaps_ / root(); }
  /// Returns how clear a common step up (`sign` 1) or down (-1) is; 0 if it is not.
  double clarity(double sign) const {
    if (judged_ < 2) return 0;
    const bool clear = sign * capped_ > kTuning.clear * root();
    const bool nearly_all = (sign > 0 ? up_ : down_) >= kTuning.nearly_all * judged_;
    return clear && nearly_all ? sign * errors_ / root() : 0;
  }

 private:
  double root() const { return std::sqrt(static_cast<double>(judged_)); }
  void count(const Step& step, int times) {
    judged_ += times;
    up_ += step.errors > 0 ? times : 0;
    down_ += step.errors < 0 ? times : 0;
    gaps_ += times * std::clamp(step.gap, -kTuning.most_of_arm, kTuning.most_of_arm);
    errors_ += times * step.errors;
    capped_ += times * std::clamp(step.errors, -kTuning.most_of_arm, kTuning.most_of_arm);
  }

  int judged_ = 0;
  int up_ = 0;
  int down_ = 0;
  double gaps_ = 0;
  double errors_ = 0;
  double capped_ = 0;
};

/// Returns the number of pulls of each arm before a place.
std::vector<std::size_t> pulls_before(const RewardsOfSteps& rewards, const PlaceOfStep& place) {
  std::vector<std::size_t> made(rewards.arms.size());
  for (std::size_t i = 0; i < place.reward; ++i) ++made[rewards.order[i].arm];
  return made;
}

/// The places of one window: the clearest ones, up and down, and the gaps of the arms at all of them.
struct PlacesOfWindow {
  PlaceOfStep up;
  PlaceOfStep down;
  std::vector<double> gaps;  // in the order of the rewards
};
PlacesOfWindow places_of(const RewardsOfSteps& rewards, std::size_t window) {
  PlacesOfWindow places;
  StepsAtPlace steps;
  std::vector<std::optional<SteppingArm::Step>> of_arm(rewards.arms.size());
  std::vector<std::size_t> made(rewards.arms.size());
  for (std::size_t i = 0; i < rewards.order.size(); ++i) {
    if (const double clarity = steps.clarity(1); clarity > places.up.clarity) places.up = {i, window, clarity};
    if (const double clarity = steps.clarity(-1); clarity > places.down.clarity) places.down = {i, window, clarity};
    places.gaps.push_back(steps.gap());
    const std::size_t arm = rewards.order[i].arm;
    steps.replace(of_arm[arm], rewards.arms[arm].step(++made[arm], window));
  }
  return places;
}

/// Returns the root mean square of the gaps at places whose windows do not contain the clearest steps: about 1 if noise
/// alone makes them, more if the noise of successive rewards is similar, or if the arms step often, as in a season.
/// Returns nullopt if there are too few such places.
std::optional<double> gap_elsewhere(const PlacesOfWindow& places, std::size_t rows) {
  double squares = 0;
  double count = 0;
  for (std::size_t i = 0; i < places.gaps.size(); ++i) {
    const auto is_at = [&](const PlaceOfStep& step) {
      return step.clarity > 0 && i < step.reward + rows && step.reward < i + rows;
    };
    if (places.gaps[i] == 0 || is_at(places.up) || is_at(places.down)) continue;
    squares += places.gaps[i] * places.gaps[i];
    ++count;
  }
  if (count < kTuning.enough_places * static_cast<double>(rows)) return std::nullopt;
  return std::sqrt(squares / count);
}

/// Returns the place with its clarity if gaps elsewhere have this size, in standard errors.
PlaceOfStep in_unit(PlaceOfStep place, const RewardsOfSteps& rewards, double unit, double sign) {
  const std::vector<std::size_t> made = pulls_before(rewards, place);
  StepsAtPlace steps;
  for (std::size_t arm = 0; arm < made.size(); ++arm) {
    auto step = rewards.arms[arm].step(made[arm], place.window);
    if (step) step->errors /= unit;
    std::optional<SteppingArm::Step> none;
    steps.replace(none, step);
  }
  place.clarity = steps.clarity(sign);
  return place;
}

/// Returns the clearest places of common steps, up and down; a clarity of 0 if there is none.
std::pair<PlaceOfStep, PlaceOfStep> clearest_steps(const RewardsOfSteps& rewards) {
  PlaceOfStep up;
  PlaceOfStep down;
  double unit = 1;
  const auto arms =
      static_cast<std::size_t>(std::count_if(rewards.arms.begin(), rewards.arms.end(), [](const SteppingArm& arm) {
        return arm.size() >= static_cast<std::size_t>(kFewestToJudge);
      }));
  for (const std::size_t window : kStepWindows) {
    const PlacesOfWindow places = places_of(rewards, window);
    if (const auto elsewhere = gap_elsewhere(places, window * arms)) unit = std::max(1.0, *elsewhere);
    if (places.up.clarity > 0) {
      if (const auto place = in_unit(places.up, rewards, unit, 1); place.clarity > up.clarity) up = place;
    }
    if (places.down.clarity > 0) {
      if (const auto place = in_unit(places.down, rewards, unit, -1); place.clarity > down.clarity) down = place;
    }
  }
  return {up, down};
}

/// Returns the power of ten that is near to all of these ratios, or nullopt.
std::optional<double> common_power_of_ten(std::span<const double> ratios) {
  if (ratios.empty() || !(ratios[0] > 0)) return std::nullopt;
  const double exponent = std::round(std::log10(ratios[0]));
  const double power = std::pow(10, exponent);
  const double most = std::abs(exponent) > 1 ? kTuning.same_large_factor : kTuning.same_factor;
  const bool same = std::all_of(ratios.begin(), ratios.end(),
                                [&](double ratio) { return ratio > power / most && ratio < power * most; });
  return exponent != 0 && same ? std::optional(power) : std::nullopt;
}

CommonStep step_at(const RewardsOfSteps& rewards, const PlaceOfStep& place, double sign) {
  CommonStep result{.pull = rewards.order[place.reward].pull};
  const std::vector<std::size_t> made = pulls_before(rewards, place);
  std::vector<double> ratios;
  for (std::size_t arm = 0; arm < rewards.arms.size(); ++arm) {
    const auto step = rewards.arms[arm].step(made[arm], place.window);
    if (!step) continue;
    ++result.judged;
    result.arms += sign * step->errors > 0 ? 1 : 0;
    result.before += step->before;
    result.after += step->after;
    ratios.push_back(step->before > 0 && step->after > 0 ? step->after / step->before : 0);
  }
  result.before /= static_cast<double>(result.judged);
  result.after /= static_cast<double>(result.judged);
  result.factor = common_power_of_ten(ratios);
  return result;
}

/// Returns whether nearly all arms step at this place, and not each at another one nearby. The fewer arms there are,
/// the more often do they change near each other by their own pulls.
bool have_same_place(const RewardsOfSteps& rewards, const PlaceOfStep& place, Arm judged) {
  const std::vector<std::size_t> made = pulls_before(rewards, place);
  const double most = std::min(kTuning.same_place, kTuning.same_place_per_arm * static_cast<double>(judged));
  double same = 0;
  for (std::size_t arm = 0; arm < rewards.arms.size(); ++arm) {
    if (!rewards.arms[arm].step(made[arm], place.window)) continue;
    same += rewards.arms[arm].better_elsewhere(made[arm], place.window) < most ? 1 : 0;
  }
  return same >= kTuning.nearly_all * static_cast<double>(judged);
}

/// Returns the history without the step: each arm's rewards after it, up to its end, are moved by its own step.
History without_step(History history, const CommonStep& step, const RewardsOfSteps& rewards, const PlaceOfStep& place) {
  const std::vector<std::size_t> made = pulls_before(rewards, place);
  std::vector<double> sizes(rewards.arms.size());
  for (std::size_t arm = 0; arm < rewards.arms.size(); ++arm) {
    const auto own = rewards.arms[arm].step(made[arm], place.window);
    sizes[arm] = own ? own->after - own->before : step.after - step.before;
  }
  for (std::size_t i = step.pull; i < step.end.value_or(history.pulls.size()); ++i) {
    PastPull& pull = history.pulls[i];
    if (pull.reward) *pull.reward -= sizes[static_cast<std::size_t>(pull.arm)];
  }
  return history;
}

/// Returns whether the second step takes the first one back, and the rewards between stay where the first one led.
bool takes_back(const CommonStep& first, const CommonStep& second, const History& history) {
  const double there = first.after - first.before;
  const double back = second.before - second.after;
  if (std::abs(there - back) >= kTuning.taken_back * std::max(std::abs(there), std::abs(back))) return false;
  std::vector<RewardBucket> between(history.arm_names.size());
  for (std::size_t i = first.pull; i < second.pull; ++i) {
    const PastPull& pull = history.pulls[i];
    if (pull.reward) between[static_cast<std::size_t>(pull.arm)] += {.count = 1, .sum = *pull.reward};
  }
  double sum = 0;
  double arms = 0;
  for (const RewardBucket& arm : between) {
    if (arm.count == 0) continue;
    sum += arm.mean();
    ++arms;
  }
  return std::abs(sum / arms - first.after) < kTuning.stays * std::abs(there);
}

}  // namespace

std::optional<CommonStep> find_common_step(const History& history) {
  const RewardsOfSteps rewards(history);
  const auto [up, down] = clearest_steps(rewards);
  if (up.clarity == 0 && down.clarity == 0) return std::nullopt;
  PlaceOfStep place = up.clarity > down.clarity ? up : down;
  CommonStep step = step_at(rewards, place, up.clarity > down.clarity ? 1 : -1);
  if (up.clarity > 0 && down.clarity > 0) {
    const bool up_first = up.reward < down.reward;
    const CommonStep first = step_at(rewards, up_first ? up : down, up_first ? 1 : -1);
    const CommonStep second = step_at(rewards, up_first ? down : up, up_first ? -1 : 1);
    if (takes_back(first, second, history)) {
      step = first;
      step.end = second.pull;
      place = up_first ? up : down;
    }
  }
  if (!have_same_place(rewards, place, step.judged)) return std::nullopt;
  if (step.factor) return step;
  const auto change = find_common_change(without_step(history, step, rewards, place));
  const bool is_part = change && std::abs(step.after - step.before) < kTuning.more_than_season * change->sd;
  return is_part ? std::nullopt : std::optional(step);
}

std::optional<CommonStep> find_common_step(const History& history, std::span<const Outlier> outliers) {
  const auto step = find_common_step(history);
  return step || outliers.empty() ? step : find_common_step(cleaned(history, outliers));
}

PartOfHistory pulls_in_question(const CommonStep& step) {
  return step.end ? PartOfHistory{.begin = step.pull, .end = *step.end} : PartOfHistory{.begin = 0, .end = step.pull};
}

FarRewards without_changed_part(FarRewards far, const CommonStep& step, const History& history) {
  PartOfHistory changed = pulls_in_question(step);
  if (!step.end && 2 * step.pull > history.pulls.size()) changed = {.begin = step.pull, .end = history.pulls.size()};
  std::erase_if(far.doubtful,
                [&](const Outlier& each) { return each.pull >= changed.begin && each.pull < changed.end; });
  return far;
}

}  // namespace longrun
