#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>
#include <span>
#include <vector>

#include "longrun/base/types.h"

namespace longrun {

/// A reward of an arm and the number of the pull that paid it.
struct PullReward {
  Pulls pull = 1;  ///< from 1
  double reward = 0;
  bool operator==(const PullReward&) const = default;
};

/// The curves that fit_single_peaked() chooses from, apart from their shape.
struct SinglePeakedFitOptions {
  double least = -std::numeric_limits<double>::infinity();  ///< lower bound of the curve
  double most = std::numeric_limits<double>::infinity();    ///< the best curve is cut here, which keeps its shape
  /// The most cells into which the rewards are divided. The curve bends and peaks only at the end of a cell, and is
  /// constant within a cell after the peak. With at most this many rewards, every reward is a cell of its own.
  std::size_t most_cells = 200;
  /// The fewest rewards of a cell, at least 1. Where a curve falls, its ends are means of groups of rewards that are
  /// chosen because they are high or low; larger groups are less extreme.
  std::size_t smallest_cell = 1;
  /// The fewest rewards of the last cell, if more. If the curve is continued beyond its end, that group matters most.
  std::size_t last_cell = 1;
};

/// A curve that rises concavely up to its peak and never rises after it.
struct SinglePeakedFit {
  std::vector<PullReward> rise;  ///< corners of the rising part: the first at pull 1, the last at the peak
  std::vector<PullReward> fall;  ///< steps after the peak: the first pull of each, and its reward; descending
  Pulls last = 1;                ///< last pull with a reward; the curve is constant from there on
  double squares = 0;            ///< sum of the squared differences to the rewards, before the curve is cut
  std::size_t parameters = 1;    ///< number of independent values: level, slopes and steps
  double most = std::numeric_limits<double>::infinity();  ///< corners and steps above this value are cut to it

  Pulls peak() const { return rise.back().pull; }
  double start_reward() const { return std::min(most, rise.front().reward); }
  double peak_reward() const { return std::min(most, rise.back().reward); }
  /// Returns the value of the curve at the last pull with a reward, and at every later pull.
  double end_reward() const { return fall.empty() ? peak_reward() : std::min(most, fall.back().reward); }
  /// Returns the values of the curve at the pulls 1..pulls. O(pulls).
  std::vector<double> values(Pulls pulls) const;
};

/// Returns the curve with the least sum of squared differences to these rewards, at least one, with ascending pulls.
///
/// For a given peak p, the rising part is a concave, non-decreasing regression of the rewards up to p, and the falling
/// part a non-increasing regression of the others. Both are computed for every p as if the other part did not exist.
/// Where the falling part would begin above the peak, p is not considered. This is exact: if the constraint "not above
/// the peak" binds in the best curve for p, that curve is level from p to p + 1, so it is also a curve with peak p + 1
/// and no better than the best of those; and for the last p there is no falling part.
///
/// The rising part is a non-negative combination of hinges min(m, k), found by the active-set method of Lawson & Hanson
/// (1974), each step in O(cells); it starts from the solution for p - 1. The falling part is found for all p in one
/// pass that pools adjacent violators. About O(rewards + cells^2) in all.
SinglePeakedFit fit_single_peaked(std::span<const PullReward> rewards, const SinglePeakedFitOptions& options = {});

}  // namespace longrun
