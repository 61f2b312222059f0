#pragma once

#include <optional>
#include <string_view>

#include "longrun/decide/advice/reward_summary.h"

namespace longrun {

/// The direction of an arm's reward over the later half of its pulls.
enum class Trend { rising, falling, steady, undecided };
std::string_view name(Trend trend);

/// The probabilities of each direction of an arm's curve, given its rewards. Their sum is 1.
struct CurveTrend {
  double rising = 0;
  double falling = 0;
  double steady = 1;
  /// Whether the rewards are enough to notice a change that matters, kMatters of the reward in the later half of the
  /// pulls. If not, a large probability of `steady` is mostly the prior probability, and is not stated.
  bool change_would_show = true;

  /// A direction is stated if its probability is at least 80 %, as it is printed, in whole percent: for an arm whose
  /// mean reward does not change, at most 1 of 20 calls is then rising or falling (docs/recommend.md has the table).
  static constexpr double kStated = 0.795;
  /// The change in the later half of the pulls that matters: this part of the mean reward, counted from the nearer end
  /// of the scale (a rate of 2 % by 0.5 points, one of 98 % as well, one of 50 % by 12.5 points).
  static constexpr double kMatters = 0.25;
  /// Returns equal probabilities.
  static CurveTrend unknown() { return {1.0 / 3, 1.0 / 3, 1.0 / 3}; }
  /// Returns the direction whose probability is at least kStated, or undecided; steady only if a change would show.
  Trend stated() const;
  /// Returns the probability of stated(), or of the most probable direction.
  double probability() const;
};

/// The noise of an arm's rewards, as far as it is known when the trend is estimated.
struct TrendNoise {
  std::optional<double> variance{};  ///< nullopt if it is not known
  bool yes_or_no = false;            ///< whether rewards are 0 or 1
};

/// Returns the probable directions of the curve of `rewards`, in order, on the scale from 0 to 1. With fewer than three
/// rewards nothing is known: all directions are equally probable.
///
/// Bayes' rule compares these kinds of curves: constant, a line, a line that levels off at some pull, and two lines
/// that meet at some pull; and curves that are constant or a line since some pull in the first half, and anything
/// before, so that what the other kinds miss at the beginning does not look like a trend of the later half. Their
/// slopes have Zellner's g-prior with g = the number of rewards, at most 100, so the result does not depend on the unit
/// of the rewards. The curve rises if its value at the last pull is above that in the middle of all pulls. Pulls whose
/// rewards are lost count as pulls. For yes/no rewards, no kind of curve has more evidence than the likelihood of its
/// best fit gives it: that of normal noise is far too large where few rewards of the rarer kind are expected. The same
/// holds for rewards that are mostly the same with rare others on one side, such as sales: they are described by events
/// of one size whose number has the mean and the variance of those others (quasi-likelihood, Wedderburn 1974). The more
/// rewards there are, the less probable is a line from the first to the last of them: growth that has gone on for long
/// has mostly levelled off. O(rewards).
CurveTrend curve_trend(const RewardSummary& rewards, const TrendNoise& noise);

}  // namespace longrun
