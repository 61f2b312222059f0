#pragma once

#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <vector>

#include "longrun/base/types.h"
#include "longrun/policy/statistics/dyadic_windows.h"
#include "longrun/policy/statistics/growth_evidence.h"
#include "longrun/policy/statistics/growth_shapes.h"
#include "longrun/solve/outlook.h"

namespace longrun {

/// What the arms of a problem have in common for ArmForesight: how long it is, how many they are, how loud the noise.
class ForesightModel {
 public:
  ForesightModel(Pulls horizon, Arm arms, double sd);

  /// Also while arms are being observed: an estimate gets better.
  void set_sd(double sd) { sd_ = sd; }
  /// What remains on average of the best level of all falling arms, as they go on falling: 1 if they stop at once.
  void set_fall_discount(double discount) { fall_discount_ = discount; }

  double sd() const { return sd_; }
  Arm arms() const { return arms_; }
  double fall_discount() const { return fall_discount_; }
  const GrowthShapes& shapes() const { return shapes_; }

  /// How many standard errors a window mean of 2^scale rewards may be off. With probability 1 - kFailure all of an
  /// arm's windows, and all their differences to the windows before them, are within `bound` ...
  double bound(std::size_t scale) const { return bound_[scale]; }
  /// ... and so are the differences of any two windows of one size within `fall`.
  double fall(std::size_t scale) const { return fall_[scale]; }
  /// For what is worth a try, which asks for less than certainty: sqrt(2 ln(horizon / (arms 2^scale))).
  double worth(std::size_t scale) const { return worth_[scale]; }

  static constexpr double kFailure = 0.05;

 private:
  using Quantiles = std::array<double, 64>;
  Arm arms_;
  double sd_;
  double fall_discount_ = 1;
  GrowthShapes shapes_;
  Quantiles bound_{};
  Quantiles fall_{};
  Quantiles worth_{};
};

/// A number estimated from rewards.
struct Measured {
  double value = 0;
  double standard_error = 0;
};

/// What is known of one arm from noisy rewards, and what it may be worth: the index of `foresight`. docs/method.md,
/// "Foresight", derives every rule below. A reward costs O(log horizon) time, an arm O(log horizon) memory.
///
/// The arm rises until a window of rewards lies so far below an earlier one of its size that noise can't be the reason
/// (false with probability at most ForesightModel::kFailure); from then on it falls.
class ArmForesight {
 public:
  void add(double reward, const ForesightModel& model);

  Pulls pulls() const { return windows_.count(); }
  bool falling() const { return falling_since_.has_value(); }

  /// Reward per pull that the arm is worth if `remaining` pulls are left: the level m at which pulling it, with the
  /// freedom to leave it, and being paid m ever after are equally good.
  double index(Pulls remaining, const ForesightModel& model) const;

  /// Of an arm that falls: what its next pull may pay, and the average over `remaining` pulls if it goes on falling for
  /// a while.
  double falling_level(const ForesightModel& model) const;
  double falling_average(Pulls remaining, const ForesightModel& model) const;

  /// An upper bound on the reward of every later pull: the line through two windows' means with its errors; of all
  /// windows, the one that is lowest for `remaining` pulls. While the arm rises it holds at all times with probability
  /// 1 - kFailure. Once it is taken for falling the bound is level, and right only if that is: 1 - 2 kFailure.
  Outlook bound(Pulls remaining, const ForesightModel& model) const;

  /// The present reward.
  Measured level(const ForesightModel& model) const;
  /// Growth per pull over recent windows; nothing before there are two windows.
  std::optional<Measured> slope(const ForesightModel& model) const;

 private:
  /// Two neighbouring windows of 2^scale rewards, as a line.
  struct Trend {
    double mean;   // of the later window
    double age;    // pulls from its centre to the last reward
    double slope;  // per pull
    double size;   // rewards per window

    double slope_error(double sd) const { return sd * std::sqrt(2 / size) / size; }
  };
  Trend trend(std::size_t scale) const;
  std::size_t largest_pair(double largest_size, Pulls since) const;
  bool fits(std::size_t scale, Pulls windows, Pulls since) const;

  void append_straight_prospects(Pulls remaining, const ForesightModel& model, Prospects& prospects) const;

  DyadicWindows windows_;
  struct Window {
    double mean = -std::numeric_limits<double>::infinity();
    Pulls end = 0;
  };
  std::vector<Window> highest_;         // of all windows, by scale; only while rising
  GrowthEvidence growth_;               // only while rising
  std::optional<Pulls> falling_since_;  // pulls before the first of the window that showed it
  Window peak_;                         // what that was compared with
};

}  // namespace longrun
