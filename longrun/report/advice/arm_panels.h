#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "longrun/base/types.h"
#include "longrun/decide/advice/recommendation.h"

namespace longrun {

/// The largest number of arms that have a panel in the pictures of a recommendation.
inline constexpr std::size_t kMostPanels = 24;

/// Returns whether the next round pulls the arm.
bool is_next(const Recommendation& answer, Arm arm);

/// Returns the arms that have a panel, ascending: at most kMostPanels, those to pull next, then those with the highest
/// indices.
std::vector<Arm> arms_with_panel(const Recommendation& answer);

/// The mean of successive rewards of an arm.
struct BlockMean {
  double pull = 0;  ///< in the middle
  double mean = 0;
  double low = 0;  ///< 2 standard errors below it, or the end of the interval of a rate (rate_interval())
  double high = 0;
};

/// The rewards of an arm and their means over blocks of equally many, the last of which ends with the last reward.
class ArmMeans {
 public:
  void add(Pulls pull, double reward) {
    pulls_.push_back(pull);
    rewards_.push_back(reward);
  }
  /// Adds a reward that looks like a mistake, in addition to what it counts as.
  void add_outlier(Pulls pull, double reward) { outliers_.emplace_back(pull, reward); }
  const std::vector<double>& rewards() const { return rewards_; }
  /// Returns the pulls and rewards that look like mistakes, as they were observed.
  const std::vector<std::pair<Pulls, double>>& outliers() const { return outliers_; }
  /// Returns the number of the pull of each reward, from 1. Pulls without a known reward are between them.
  const std::vector<Pulls>& pulls() const { return pulls_; }

  /// Computes the means. `sd` is that of the noise.
  void finish(double sd);
  /// Computes the means of rewards that are at the ends of this scale.
  void finish(const RewardScale& ends);
  /// Returns the means. One block of several pulls occurs twice, at its first and last pull, so that it is a line.
  const std::vector<BlockMean>& blocks() const { return blocks_; }

 private:
  template <class Range>
  void finish(std::size_t most, std::size_t rewards_per_block, Range range_of);

  std::vector<Pulls> pulls_;  // one per reward
  std::vector<double> rewards_;
  std::vector<std::pair<Pulls, double>> outliers_;
  std::vector<BlockMean> blocks_;
};

/// Returns the rewards of each arm as they count: outliers as typical.
std::vector<ArmMeans> means_of(const Question& question, const Recommendation& answer);

/// The axes of all panels, which are the same so that panels can be compared. The present is at 0, the past left of it
/// and the future right of it. Past and future have separate scales: on one scale, a short past would not be visible
/// beside a long future.
struct PanelAxes {
  double past = 1;          ///< most pulls of any arm
  double future = 1;        ///< most remaining pulls of any arm, at least 1
  double past_width = 0.5;  ///< share of a panel's width
  double lowest = 0;
  double highest = 1;

  /// Returns the position of a pull of an arm that has `made` pulls.
  double across(double pull, Pulls made) const;
  /// Returns the positions and numbers of an arm's pulls at the beginning, now and after its `remaining` ones: an arm
  /// that costs more than others ends before the axis does. Where past or future are too narrow for two labels, their
  /// outer end is left out.
  std::vector<std::pair<double, Pulls>> tics(Pulls made, Pulls remaining) const;
};

/// Returns the axes of all panels.
PanelAxes axes_of(const Question& question, const Recommendation& answer, const std::vector<ArmMeans>& means);

}  // namespace longrun
