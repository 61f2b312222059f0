#pragma once

#include <array>
#include <cstddef>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "longrun/base/types.h"
#include "longrun/decide/advice/arm_population.h"
#include "longrun/decide/advice/curve_trend.h"
#include "longrun/decide/advice/growth_fit.h"
#include "longrun/decide/advice/reward_summary.h"
#include "longrun/decide/future_range.h"

namespace longrun {

/// A possible course of an arm's mean reward, on the scale from 0 to 1, as far as the arm is pulled.
class FutureCurve {
 public:
  /// Returns the curve level + growth phi(pull) of an arm with `made` pulls.
  static FutureCurve growing(const GrowthCurve& phi, Pulls made, double level, double growth);
  /// Returns a curve that changes by `slope` per pull for the next `lasting` pulls, and is constant from then on.
  static FutureCurve line(double level, double slope, double lasting);
  /// Replaces every reward of the curve by 1 - reward: growth becomes a fall.
  void mirror() { mirrored_ = true; }
  /// Makes the curve fall after the next `after` pulls, by `slope` > 0 per pull, for `lasting` pulls.
  void fall_after(double after, double slope, double lasting);

  /// Returns the mean reward of the k-th pull from now, k >= 1.
  double at(double k) const;
  /// Returns the mean over the next `remaining` >= 1 pulls. Over more than a few pulls it is computed by Gaussian
  /// quadrature; the error is about 0.01 at most.
  double mean(Pulls remaining) const;

 private:
  double level_ = 0;
  double growth_ = 0;  // times phi
  GrowthCurve phi_{};
  double made_ = 0;
  double slope_ = 0;
  double lasting_ = 0;
  bool mirrored_ = false;
  double falls_after_ = std::numeric_limits<double>::infinity();  // pulls from now
  double fall_slope_ = 0;
  double fall_lasting_ = 0;
};

/// The expected reward of a future pull of an arm.
struct ExpectedPull {
  Pulls pull = 0;  ///< number of the pull of this arm, from 1
  FutureRange reward{};
};

/// Returns what equally probable curves pay per pull over the next `remaining` >= 1 pulls.
FutureRange expected_reward(std::span<const FutureCurve> curves, Pulls remaining);
/// Returns what they pay at some of the next `remaining` pulls, the first and the last included, ascending. `made` is
/// the number of the arm's pulls so far.
std::vector<ExpectedPull> expected_course(std::span<const FutureCurve> curves, Pulls made, Pulls remaining);

/// The possible futures of an arm, given its rewards. With the probabilities of its trend, the arm
/// - rises: by the posterior of its growth (growth_fit.h), or, in one of ten cases, in a straight line;
/// - stays at its present reward, even if it has fallen so far;
/// - falls: what it lacks to 1 grows by the posterior of the same shapes, given the rewards since the best of them; or,
///   in about a third of the cases, it falls in a straight line through them.
/// A part of the probability of staying goes to rising and falling, which may be too slow to see, and a part of that of
/// falling goes to staying, because a fall may have ended. An arm that has certainly fallen does not rise again,
/// because its curve has a single peak. One that does not fall yet may do so later, with the probability `falls_later`:
/// after more than x times its pulls so far with probability 1 / (1 + x), by any share of its reward then, over about
/// as many pulls as it had until then. Where all arms pay nearly 1, falls are at most `fall_sd`.
class ArmFutures {
 public:
  /// The estimates for an arm from its own rewards, on the scale from 0 to 1.
  struct Known {
    const RewardSummary& rewards;
    std::span<const GrowthCurve> curves;  ///< growth_curves() of the horizon
    CurveTrend trend;
    ArmNoise noise{};
    std::optional<RewardNow> reward_now{};  ///< nullopt before the first reward
    bool has_fallen = false;                ///< certainly
    double growth_sd = 1;                   ///< of the growth up to the horizon, before any rewards
    double fall_sd = 1;                     ///< the same of a fall; a straight or a later fall is at most so large
    std::optional<ArmLevel> level{};  ///< of all arms: an arm far from the others is probably nearer than it seems
    double falls_later = 0;           ///< probability, if it does not fall now
    Pulls pending = 0;                ///< pulls made after the last reward, lost ones included
  };
  explicit ArmFutures(const Known& known);

  static constexpr std::size_t kUniform = 6;  ///< random numbers per curve

  /// Returns a curve. If the numbers are uniform in (0, 1) and independent, its probability is that of the curve.
  FutureCurve draw(const std::array<double, kUniform>& uniform) const;
  /// Returns 128 curves that represent all of them: equally probable, and as evenly spread as possible.
  std::vector<FutureCurve> spread() const;

 private:
  enum class Kind { grows, line_up, constant, falls, line_down };
  struct Part {
    double until = 0;  // sum of the probabilities of this part and those before it
    Kind kind = Kind::constant;
    GrowthPosterior growth{};  // of Kind::grows and Kind::falls
    Pulls begun = 0;           // pulls since the growth or the fall began
  };
  /// A regression line through the newest rewards. Its end and its slope are correlated.
  struct Line {
    double slope = 0;
    double slope_sd = 0;
    double centre = 0;     // mean of those rewards
    double centre_sd = 0;  // independent of the slope
    double reach = 0;      // pulls from the centre to the last pull
  };

  void add(double weight, Part part);
  void add_growth(double weight, Kind kind, std::span<const RewardPoint> rewards, const Known& known, Pulls begun);
  FutureCurve without_later_fall(const std::array<double, kUniform>& uniform, const Part& part) const;
  static Line line_through(const std::vector<RewardBucket>& buckets, double sd);

  double made_;     // the arm's pulls, at least 1
  double pending_;  // those of them after the last reward
  double falls_later_;
  double fall_sd_;
  RewardNow now_;
  std::optional<Line> line_;  // through the later half of the rewards; nullopt if there are too few
  std::optional<Line> fall_;  // through those since the best of them; nullopt if there are too few
  std::vector<Part> parts_;
};

}  // namespace longrun
