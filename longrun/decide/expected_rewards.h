#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "longrun/base/types.h"
#include "longrun/policy/statistics/dyadic_windows.h"
#include "longrun/policy/statistics/noise_scale.h"

namespace longrun {

/// The expected reward of the next pulls of each arm, given the arm's rewards.
///
/// Under noise that is the mean over the longest run of newest rewards, of about 1, 2, 4, ... of them, that agrees with
/// all shorter ones: there is a reward within 1.7 standard errors of all their means (Lepski 1991). Arms that do not
/// change are averaged over most of their rewards, arms that rise or fall over the newest. Exact observations continue
/// their last step up, to at most 1, and stay after a step down. An arm without a reward is expected to pay the mean of
/// all rewards, or 0.5 before the first of any arm. O(log rewards) memory per arm, O(1) amortised time per reward.
class ExpectedRewards {
 public:
  /// `sd` is the standard deviation of the noise: 0 for exact observations, nullopt to estimate it (NoiseScale).
  ExpectedRewards(Arm arms, std::optional<double> sd);

  /// Adds a reward.
  void add(Arm arm, double reward);

  /// Returns the expected reward of the arm's pull number `ahead`, from 1, after its last reward.
  double of(Arm arm, Pulls ahead) const;

  Arm arms() const { return static_cast<Arm>(arms_.size()); }
  /// Returns the number of the arm's rewards.
  Pulls rewards(Arm arm) const { return arms_[static_cast<std::size_t>(arm)].windows.count(); }
  /// Returns the number of rewards of all arms.
  Pulls rewards() const { return rewards_; }
  /// Returns whether every arm has a reward.
  bool complete() const { return known_ == arms(); }

  /// Adds an arm without rewards: the last one.
  void add_arm();

  template <class Visit>
  decltype(auto) visit_fields(Visit&& visit) {
    return visit(sd_, noise_, arms_, known_, rewards_, mean_);
  }

 private:
  struct State {
    DyadicWindows windows;
    double last = 0;
    double step = 0;  // from the reward before to the last one; 0 before the second

    template <class Visit>
    decltype(auto) visit_fields(Visit&& visit) {
      return visit(windows, last, step);
    }
  };
  double recent_mean(const DyadicWindows& windows) const;

  double sd_;                        // of the noise; 0 if observations are exact
  std::optional<NoiseScale> noise_;  // set if sd_ is estimated
  std::vector<State> arms_;          // by arm
  Arm known_ = 0;                    // arms with a reward
  Pulls rewards_ = 0;                // of all arms
  double mean_ = 0.5;                // of all rewards; the middle of the scale before the first
};

}  // namespace longrun
