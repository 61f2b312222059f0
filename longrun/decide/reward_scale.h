#pragma once

#include <optional>
#include <string>
#include <vector>

#include "longrun/base/input_error.h"
#include "longrun/base/types.h"
#include "longrun/decide/reward_spread.h"
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
/// may be outside by as much as noise explains: that of the arm's earlier rewards, or, if the scale fits the rewards of
/// all arms so far, that of these, which may be skewed. O(1) per reward, O(arms) for one far outside the scale.
class ScaleCheck {
 public:
  /// `noise` is on the scale from 0 to 1; nullopt if it is not known.
  ScaleCheck(const RewardScale& scale, const std::optional<Noise>& noise, Arm arms);

  /// Adds a reward and returns it on the scale from 0 to 1. Throws RewardError, and adds nothing, if it is not a finite
  /// number or not on the scale. The message names the arm by its label in `arm_names`. If not `enforced`, only a
  /// reward that is not finite is refused.
  double add(Arm arm, double reward, const std::vector<std::string>& arm_names, bool enforced = true);
  /// Returns whether a reward that add() refused as outside the scale may be right by all rewards of a log, which were
  /// added without being enforced, this one included. `log` is the spread of these. O(arms).
  bool may_be_right(Arm arm, double reward, const RewardSpread& log) const;
  /// Adds an arm.
  void add_arm() { moments_.emplace_back(); }

  const RewardScale& scale() const { return scale_; }

  template <class Visit>
  decltype(auto) visit_fields(Visit&& visit) {
    return visit(moments_, spread_);
  }

 private:
  /// Count, sum and sum of squares of one arm's rewards on the scale from 0 to 1.
  struct Moments {
    double sum = 0;
    double squares = 0;
    double count = 0;

    double variance() const;
    /// Returns the sum of the squares of the distances from the mean.
    double squares_about_mean() const { return count > 0 ? count * variance() : 0; }

    template <class Visit>
    decltype(auto) visit_fields(Visit&& visit) {
      return visit(sum, squares, count);
    }
  };
  /// Returns the standard deviation of the noise, estimated from these rewards if it is not known.
  double sd_of(const Moments& rewards) const;
  /// The rewards of all arms, on the scale from 0 to 1.
  struct AllRewards {
    double sum = 0;
    double count = 0;
    double squares = 0;  // of the distances from the means of their arms
  };
  AllRewards all_rewards() const;
  /// Returns whether rewards explain one, `unit`, that is outside the scale: `all` are those of all arms, and `others`
  /// those of its arm, without it. `is_skew` says whether their skewness explains it.
  bool is_explained(double unit, const AllRewards& all, const Moments& others, bool is_skew) const;
  /// Returns what is wrong with a single reward outside the scale, by the earlier ones of its arm; or an empty text.
  std::string problem_of_reward(Arm arm, double reward, double unit, const std::vector<std::string>& arm_names) const;
  /// Returns what is wrong with the mean of an arm's rewards, `reward` being the last of them; or an empty text.
  std::string problem_of_mean(Arm arm, double reward, const Moments& rewards,
                              const std::vector<std::string>& arm_names) const;

  RewardScale scale_;
  std::optional<double> sd_;        // of the noise, if it is known
  std::optional<double> farthest_;  // error of a single reward that known noise explains
  bool yes_or_no_ = false;          // whether rewards are 0 or 1 on the scale from 0 to 1
  bool may_be_skew_ = true;         // whether noise may be skewed: it is not known, or said to be normal
  std::vector<Moments> moments_;    // by arm
  RewardSpread spread_;             // of all arms
};

}  // namespace longrun
