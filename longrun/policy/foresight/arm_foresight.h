#pragma once

#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <vector>

#include "longrun/base/types.h"
#include "longrun/policy/foresight/foresight_tuning.h"
#include "longrun/policy/statistics/dyadic_windows.h"
#include "longrun/policy/statistics/growth_evidence.h"
#include "longrun/policy/statistics/growth_shapes.h"
#include "longrun/policy/statistics/window_extremes.h"
#include "longrun/solve/outlook.h"

namespace longrun {

/// The properties of a problem that its arms share: horizon, number of arms, noise, and what kinds of curves the arms
/// have shown. ArmForesight reads them.
class ForesightModel {
 public:
  ForesightModel(Pulls horizon, Arm arms, double sd, const ForesightTuning& tuning = kForesightTuning);

  /// Sets the noise's standard deviation. An estimate may change between observations.
  void set_sd(double sd) { sd_ = sd; }
  /// Sets the largest level of the falling arms, and the factor that multiplies their levels: the largest average of
  /// their future rewards, divided by that level. 1 if none of them falls any further.
  void set_fall_discount(double level, double discount) {
    fall_level_ = level;
    fall_discount_ = discount;
  }
  /// Replaces what one arm has shown, in the sum over all arms: the probabilities of its kinds, times the number of
  /// arms, at most 1, that it counts as. Zeros stand for nothing.
  void replace_kinds(const CurveKinds& before, const CurveKinds& now);

  /// Adds pulls to the horizon, which all bounds depend on. The shapes of growth stay those of the first horizon.
  void extend(Pulls pulls) {
    horizon_ += pulls;
    derive_from_problem();
  }
  /// Adds an arm. All indices and the levels of falling arms depend on the number of arms.
  void add_arm() {
    ++arms_;
    derive_from_problem();
  }

  double sd() const { return sd_; }
  Arm arms() const { return arms_; }
  double fall_level() const { return fall_level_; }
  double fall_discount() const { return fall_discount_; }
  const GrowthShapes& shapes() const { return shapes_; }
  const ForesightTuning& tuning() const { return tuning_; }
  /// Returns the variance of a reward about the shape of its curve.
  double variance() const { return sd_ * sd_ + tuning_.misfit_sd * tuning_.misfit_sd; }
  /// Returns the probabilities of the kinds of curves for an arm that has shown `own`: those of the tuning, which count
  /// as ForesightTuning::prior_arms arms, and what all other arms have shown.
  CurveKinds kinds_without(const CurveKinds& own) const;
  /// Returns the probabilities of the kinds before any reward.
  CurveKinds prior_kinds() const;
  /// Returns the share of growing curves that grow within the horizon: 1 from ForesightTuning::growth_horizon pulls on.
  double growth_share() const { return growth_share_; }

  // Bounds on the errors of means of windows of 2^scale rewards, in standard errors.

  /// Returns the bound that all means of an arm's windows, and all their differences to the windows before them, stay
  /// within with probability 1 - ForesightTuning::failure.
  double mean_quantile(std::size_t scale) const { return mean_quantiles_[scale]; }
  /// Returns the bound that the differences of any two windows of one size stay within with that probability.
  double fall_quantile(std::size_t scale) const { return fall_quantiles_[scale]; }
  /// Returns the smaller bound that decides whether a falling arm is tried again: sqrt(2 ln(horizon / (arms 2^scale))).
  double exploration_quantile(std::size_t scale) const { return exploration_quantiles_[scale]; }

  template <class Visit>
  decltype(auto) visit_fields(Visit&& visit) {
    return visit(horizon_, arms_, sd_, fall_level_, fall_discount_, shown_);
  }
  void after_load() { derive_from_problem(); }

 private:
  /// Computes what depends on the horizon and the number of arms.
  void derive_from_problem();

  using Quantiles = std::array<double, 64>;  // by scale
  Pulls horizon_;
  Arm arms_;
  double sd_;
  double fall_level_ = 0;
  double fall_discount_ = 1;
  CurveKinds shown_;  // sums over the arms
  ForesightTuning tuning_;
  GrowthShapes shapes_;
  double growth_share_ = 1;
  Quantiles mean_quantiles_{};
  Quantiles fall_quantiles_{};
  Quantiles exploration_quantiles_{};
};

/// A number estimated from rewards.
struct Measured {
  double value = 0;
  double standard_error = 0;
};

/// The state of one arm under noise, and its index for `foresight`. docs/method.md, "Foresight", derives every rule
/// below. Adding a reward takes O(log horizon) time, an index O(log horizon), an arm O(log horizon) memory.
///
/// The arm is classified as falling once the mean of a window lies so far below that of an earlier window of its size
/// that noise cannot be the reason (wrong with probability at most ForesightTuning::failure). It stays so for good.
class ArmForesight {
 public:
  /// Adds the reward of the arm's next pull.
  void add(double reward, const ForesightModel& model);
  /// Tells the model what kind of curve the arm shows, in place of what it told before. A falling arm keeps what it
  /// told before its fall.
  void show_kind(ForesightModel& model);
  /// Adds a pull whose reward is unknown: growth continues, the windows of recent rewards leave it out.
  void add_lost() { growth_.add_lost(); }

  /// Returns the number of rewards.
  Pulls pulls() const { return windows_.count(); }
  bool falling() const { return falling_since_.has_value(); }

  /// Returns the possible futures over `remaining` pulls and their probabilities: those of GrowthEvidence, of the
  /// straight line, and last of hidden growth. Requires a reward and !falling().
  Prospects prospects(Pulls remaining, const ForesightModel& model) const;
  /// Returns the index, a reward per pull: the m for which pulling the arm, with the option to leave it, and receiving
  /// m at each of the `remaining` pulls are equally good.
  double index(Pulls remaining, const ForesightModel& model) const;

  /// Returns an upper estimate of the next reward. Requires falling().
  double falling_level(const ForesightModel& model) const;
  /// Returns the average reward over `remaining` pulls if the arm continues to fall for a while. Requires falling().
  double falling_average(Pulls remaining, const ForesightModel& model) const;

  /// Returns an upper bound on the reward of every later pull: the line through two windows' means plus their errors;
  /// of all window sizes, the one whose average over `remaining` pulls is lowest. While the arm is not falling, the
  /// bound holds at all times with probability 1 - ForesightTuning::failure, if no pull of the arm is lost and the
  /// horizon is not extended. For a falling arm it is constant and holds only if the arm does fall: with probability
  /// 1 - 2 ForesightTuning::failure.
  Outlook bound(Pulls remaining, const ForesightModel& model) const;

  /// Returns the present reward: the mean of about the last quarter of the rewards (since the fall, if any), which are
  /// few enough to be recent and many enough for a small error.
  Measured level(const ForesightModel& model) const;

  template <class Visit>
  decltype(auto) visit_fields(Visit&& visit) {
    return visit(windows_, extremes_, highest_, growth_, shown_, falling_since_, peak_);
  }

 private:
  /// The line through two neighbouring windows of 2^scale rewards.
  struct Trend {
    double mean;   // of the later window
    double age;    // pulls from its centre to the last reward
    double slope;  // per pull
    double size;   // rewards per window

    double slope_error(double sd) const { return sd * std::sqrt(2 / size) / size; }
  };
  Trend trend(std::size_t scale) const;
  std::size_t largest_pair_scale(double largest_size, Pulls since) const;
  // The mean of the last window, in which the highest or the lowest reward counts as at most ForesightTuning::outlier
  // standard deviations away from it. Both require a window of two or more rewards.
  double mean_without_high_outlier(std::size_t scale, const ForesightModel& model) const;
  double mean_without_low_outlier(std::size_t scale, const ForesightModel& model) const;
  bool last_windows_begin_after(Pulls since, std::size_t scale, Pulls windows) const;

  /// Returns the largest average over `remaining` pulls that the bound allows.
  double most(Pulls remaining, const ForesightModel& model) const;
  /// Returns the futures, given `most` = most(remaining, model): the bound takes more time than all else.
  Prospects prospects(Pulls remaining, double most, const ForesightModel& model) const;
  void append_straight_prospects(double weight, Pulls remaining, const ForesightModel& model,
                                 Prospects& prospects) const;

  struct Window {
    double mean = -std::numeric_limits<double>::infinity();
    Pulls end = 0;  // number of rewards up to its end

    template <class Visit>
    decltype(auto) visit_fields(Visit&& visit) {
      return visit(mean, end);
    }
  };
  DyadicWindows windows_;               // of all rewards
  WindowExtremes extremes_;             // of all rewards
  std::vector<Window> highest_;         // by scale, the window with the largest mean; empty once the arm is falling
  GrowthEvidence growth_;               // of all rewards; empty once the arm is falling
  CurveKinds shown_;                    // what the arm told the model last, scaled; zeros before the second reward
  std::optional<Pulls> falling_since_;  // number of rewards before the windows that showed the fall
  Window peak_;                         // the highest window that those were compared with, if falling
};

}  // namespace longrun
