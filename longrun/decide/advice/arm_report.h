#pragma once

#include <optional>
#include <vector>

#include "longrun/base/types.h"
#include "longrun/decide/advice/arm_futures.h"
#include "longrun/decide/advice/arm_population.h"
#include "longrun/decide/advice/curve_trend.h"
#include "longrun/decide/advice/growth_fit.h"
#include "longrun/decide/advice/misfit.h"
#include "longrun/decide/advice/pooled_reward.h"
#include "longrun/decide/advice/reward_summary.h"
#include "longrun/decide/expected_rewards.h"
#include "longrun/policy/foresight/arm_foresight.h"
#include "longrun/policy/foresight/foresight.h"
#include "longrun/policy/ledger.h"
#include "longrun/policy/setting.h"

namespace longrun {

/// The reward of a future pull of an arm.
struct FuturePull {
  Pulls pull = 0;  ///< number of the pull of this arm, from 1
  double reward = 0;
};

/// The fewest rewards of an arm from which its own noise is estimated. With fewer, the noise is that of all arms or,
/// from kFewestToJudge rewards on, its own if that seems to be larger.
inline constexpr Pulls kFewestForOwnNoise = 20;

/// The estimates for one arm.
struct ArmReport {
  Pulls pulls = 0;                        ///< pulls so far, pending ones included
  Pulls rewards = 0;                      ///< those of them whose reward is known
  Pulls pending = 0;                      ///< those of them whose reward is not known yet
  double pending_counted_as = 0;          ///< reward that each of them counts as in decisions and in the index
  Pulls remaining = 0;                    ///< pulls that the rest of the budget pays for, if all go to this arm
  bool lacks_initial_pull = false;        ///< whether kDefaultPolicy pulls it before it compares arms
  std::optional<RewardNow> reward_now{};  ///< nullopt before the first pull
  double noise_sd = 0;                    ///< standard deviation of the arm's noise, which reward_now uses
  std::optional<CurveTrend> trend{};      ///< nullopt before the first pull
  /// What an arm is expected to pay per remaining pull if all of them go to it. Nullopt before the second reward, and
  /// if no pulls remain.
  std::optional<FutureRange> expected{};
  std::vector<ExpectedPull> expected_course{};  ///< the same at future pulls, ascending; empty if not asked for
  double index = 0;  ///< by which kDefaultPolicy compares arms: mean reward over as many pulls as the rest of the
                     ///< budget pays for if every pull has the lowest cost
  double upper_bound_total = 0;           ///< upper bound on the sum of all remaining pulls, if all go to this arm
  std::optional<Misfit> misfit{};         ///< how the rewards contradict the assumption that the bound follows from
  std::vector<FuturePull> upper_bound{};  ///< the same bound per pull: corners of a piecewise linear curve, ascending

  /// The value of finding out early whether the arm is better than expected: the index less the expected reward over
  /// the same number of pulls, at least 0. It is 0 if no decision is left that could leave the arm, and nullopt where
  /// `expected` is.
  std::optional<double> value_of_learning{};
  bool classified_falling = false;  ///< by kDefaultPolicy; the index is then an upper estimate of the next rewards

  /// Returns the pulls so far whose reward never arrives.
  Pulls lost() const { return pulls - rewards - pending; }
  /// Returns the upper bound per pull, on the same scale as `upper_bound_total`; nullopt if no pulls remain.
  std::optional<double> upper_bound_per_pull() const {
    if (remaining == 0) return std::nullopt;
    return upper_bound_total / static_cast<double>(remaining);
  }
};

/// The estimates of kDefaultPolicy for every arm, on the scale from 0 to 1. They do not depend on the policy that
/// decides.
class ArmReports {
 public:
  /// The fewest arms whose estimates are worth several threads; fewer take a few milliseconds.
  static constexpr std::size_t kFewestForThreads = 1000;

  ArmReports(const Setting& setting, const Parameters& parameters);

  /// Adds a reward of `arm`.
  void observe(Arm arm, double reward);
  /// Adds a pull of `arm` after its last reward, whose reward is not known yet. The index counts it as LivePolicy does.
  void add_pending(Arm arm) { ++pending_[static_cast<std::size_t>(arm)]; }

  /// Adds a pull of `arm` whose reward will never be known. The arm moved on along its curve.
  void add_lost(Arm arm);

  /// Updates the estimates that the functions below return, as the policy does before a decision. Call it after the
  /// last reward. `remaining` is that of the decision (Restriction).
  void update(std::optional<Pulls> remaining = std::nullopt);
  /// Updates only what noise_sd() and misfit() return. Takes a fraction of the time.
  void update_noise();

  /// The pulls that the rest of a budget pays for.
  struct Remaining {
    Pulls of_arm = 0;    ///< if all go to the arm
    Pulls of_index = 0;  ///< that the index is a mean over
  };
  /// The choice of whether a report has an expected course.
  enum class Course { with, without };
  /// Returns the estimates for `arm`. Without a course it takes half of the time.
  ArmReport report(Arm arm, const Remaining& remaining, Course course) const;
  /// Returns the mean of the newest rewards of `arm`; nullopt if there is none.
  std::optional<RewardNow> reward_now(Arm arm) const { return estimates_[static_cast<std::size_t>(arm)].reward_now; }
  /// Returns the standard deviation of the noise of `arm`.
  double noise_sd(Arm arm) const { return exact() ? 0 : estimates_[static_cast<std::size_t>(arm)].noise.sd; }
  /// Returns the trend of `arm`.
  const CurveTrend& trend(Arm arm) const { return estimates_[static_cast<std::size_t>(arm)].trend; }
  /// Returns the mean of all rewards of `arm`, and of all arms; nullopt if there are none.
  std::optional<double> mean_reward(Arm arm) const;
  std::optional<double> mean_of_all() const;
  /// Returns the number of known rewards of `arm`.
  Pulls rewards(Arm arm) const { return rewards_[static_cast<std::size_t>(arm)].count(); }
  /// Returns how the rewards of `arm` contradict the assumption of single-peaked curves, if they do.
  std::optional<Misfit> misfit(Arm arm) const;
  /// Returns what the rewards of `arm` leave open about its future.
  ArmFutures futures(Arm arm) const { return futures_after(arm, pending_[static_cast<std::size_t>(arm)]); }
  /// Returns the same from the first pull on whose reward is pending, or from the next one if there is none.
  ArmFutures futures_with_pending(Arm arm) const { return futures_after(arm, 0); }

  bool exact() const { return rule_.exact() != nullptr; }  ///< whether observations are exact
  double sd() const { return exact() ? 0 : rule_.model().sd(); }
  bool sd_is_estimate() const { return rule_.sd_is_estimate(); }
  /// Returns the standard deviation of the noise by the rewards alone, without the first guess that sd() contains;
  /// nullopt if it is not estimated, or if no arm has three rewards.
  std::optional<double> sd_of_rewards() const;
  /// Returns the standard deviation that texts state as that of all arms: that by the rewards alone if sd() is about
  /// the same, else sd().
  double stated_sd() const;
  /// Returns whether there are rewards, their noise is estimated, and all of them are 0 or 1.
  bool yes_or_no() const { return yes_or_no_ && sd_is_estimate() && ledger_.made() > 0; }
  Pulls initial_pulls() const { return rule_.initial_pulls(); }
  /// Returns the largest number of pulls that the rest of the budget pays for. Indices are means over it.
  Pulls pulls_of_index() const { return (belief_ ? belief_->ledger : ledger_).remaining(); }

 private:
  ArmFutures futures_after(Arm arm, Pulls pending) const;
  /// Sets belief_.
  void imagine_pending();
  /// Returns the number of second differences of rewards, from which the noise is estimated (NoiseScale).
  double second_differences() const;
  /// Returns what the rewards of `arm` say about it, without other arms.
  OwnEstimate estimate(Arm arm) const;
  ArmNoise noise(Arm arm) const;
  Outlook bound(Arm arm, Pulls remaining) const;

  /// The state by which LivePolicy decides while pulls are pending.
  struct Belief {
    Ledger ledger;
    ForesightRule rule;
  };

  Ledger ledger_;
  ForesightRule rule_;                  // has observed the same rewards as ledger_
  std::optional<Belief> belief_;        // with imagined rewards of pending pulls; set by update() if there are any
  std::vector<RewardSummary> rewards_;  // by arm
  std::vector<GrowthCurve> curves_;     // growth_curves() of the horizon
  double sd_of_all_ = 0;                // of the noise of all arms; set by update_noise()
  std::vector<OwnEstimate> estimates_;  // by arm; their noise is set by update_noise(), the rest by update()
  ArmPopulation population_;            // set by update()
  std::vector<PooledReward> pooled_;    // by arm, of those with a reward; set by update()
  ExpectedRewards imagined_;            // what LivePolicy imagines of pending pulls
  std::vector<Pulls> pending_;          // by arm
  std::vector<Pulls> lost_;             // by arm, lost pulls since the last reward
  bool yes_or_no_ = true;               // whether every reward so far is 0 or 1
};

}  // namespace longrun
