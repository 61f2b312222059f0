#pragma once

#include <optional>
#include <string>
#include <vector>

#include "longrun/base/input_error.h"
#include "longrun/base/types.h"
#include "longrun/model/history.h"
#include "longrun/model/noise.h"

namespace longrun {

/// The scale of rewards: the rewards that the library represents as 0 and as 1.
struct RewardScale {
  double minimum = 0;
  double maximum = 1;

  double range() const { return maximum - minimum; }
  double to_unit(double reward) const { return (reward - minimum) / range(); }
  double from_unit(double reward) const { return minimum + reward * range(); }
  /// Returns whether the reward is one of the two ends, as the rewards "no" and "yes" are.
  bool is_end(double reward) const { return reward == minimum || reward == maximum; }
  bool operator==(const RewardScale&) const = default;
};

/// Returns whether every known reward is at one end of the scale; true if none is known.
bool rewards_are_yes_or_no(const History& history, const RewardScale& scale);

/// Throws InputError for a scale that is not two finite numbers in ascending order, and for noise that is implausibly
/// large on it. The noise is on the scale from 0 to 1.
void check(const RewardScale& scale, const std::optional<Noise>& noise);

/// Limits on how far outside the scale rewards and their means can be: the distance, in units of its range, that is
/// never an error, and the further distance, in standard errors, that noise explains: chance exceeds it once in 10^10
/// times.
inline constexpr double kScaleSlack = 0.05;
inline constexpr double kScaleErrors = 6.5;

/// The error for a reward that is not possible.
class RewardError : public InputError {
 public:
  using InputError::InputError;
};

/// The error for a reward that is outside the scale.
class OutsideScaleError : public RewardError {
 public:
  using RewardError::RewardError;
};

/// A check, reward by reward, that the rewards are on their scale. A single reward, and the mean of an arm's rewards,
/// may be outside by as much as noise explains. O(1) per reward.
class ScaleCheck {
 public:
  /// `noise` is on the scale from 0 to 1; nullopt if it is not known.
  ScaleCheck(const RewardScale& scale, const std::optional<Noise>& noise, Arm arms);

  /// Adds a reward and returns it on the scale from 0 to 1. Throws RewardError, and adds nothing, if it is not a finite
  /// number or not on the scale. The message names the arm by its label in `arm_names`. If not `enforced`, only a
  /// reward that is not finite is refused.
  double add(Arm arm, double reward, const std::vector<std::string>& arm_names, bool enforced = true);
  /// Adds an arm.
  void add_arm() { moments_.emplace_back(); }

  const RewardScale& scale() const { return scale_; }

  template <class Visit>
  decltype(auto) visit_fields(Visit&& visit) {
    return visit(moments_);
  }

 private:
  /// Count, sum and sum of squares of one arm's rewards on the scale from 0 to 1.
  struct Moments {
    double sum = 0;
    double squares = 0;
    double count = 0;

    double variance() const;

    template <class Visit>
    decltype(auto) visit_fields(Visit&& visit) {
      return visit(sum, squares, count);
    }
  };
  /// Returns the standard deviation of the noise, estimated from these rewards if it is not known.
  double sd_of(const Moments& rewards) const;
  void check_reward(Arm arm, double reward, double unit, const std::vector<std::string>& arm_names) const;
  void check_mean(Arm arm, double reward, const Moments& rewards, const std::vector<std::string>& arm_names) const;

  RewardScale scale_;
  std::optional<double> sd_;        // of the noise, if it is known
  std::optional<double> farthest_;  // error of a single reward that known noise explains
  bool yes_or_no_ = false;          // whether rewards are 0 or 1 on the scale from 0 to 1
  std::vector<Moments> moments_;    // by arm
};

}  // namespace longrun
