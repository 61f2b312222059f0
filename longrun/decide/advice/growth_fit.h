#pragma once

#include <span>
#include <vector>

#include "longrun/base/types.h"
#include "longrun/decide/advice/reward_summary.h"

namespace longrun {

/// A shape phi by which a reward may grow with the pulls m = 1, 2, ...: phi(1) = 0, phi(horizon) = 1, and growth slows
/// down.
class GrowthCurve {
 public:
  /// Returns (1 - e^(-(m-1)/scale)) / (1 - e^(-(horizon-1)/scale)).
  static GrowthCurve exponential(double scale, double horizon);
  /// Returns (m^x - 1) / (horizon^x - 1), for x below 1 and not 0.
  static GrowthCurve power(double exponent, double horizon);

  double at(double pull) const;
  /// Returns the number of pulls that growth lasts for: the scale of an exponential, the horizon for a power that does
  /// not level off, 0 for one that does.
  double lasting() const { return lasting_; }

 private:
  double scale_ = 0;  // 0 for a power
  double exponent_ = 0;
  double at_end_ = 1;  // unscaled
  double lasting_ = 0;
};

/// Returns the shapes of growth_posteriors(): exponentials whose scales, in pulls, are 2 and successive powers of the
/// square root of 2 times it, up to a few horizons, and powers. The shapes of foresight are fewer, because it computes
/// them at every pull.
std::vector<GrowthCurve> growth_curves(Pulls horizon);

/// The posterior of a curve a + b phi(pull), under the assumption that it grows by one shape: b is normal, given that
/// b >= 0, and a is normal for any b.
struct GrowthPosterior {
  double weight = 0;  ///< probability of the shape; those of all shapes add up to 1
  GrowthCurve phi{};
  double growth_mean = 0;       ///< of b, without the condition
  double growth_sd = 0;         ///< of b, without the condition
  double level_at_mean = 0;     ///< mean of a if b = growth_mean
  double level_per_growth = 0;  ///< change of the mean of a per unit of b
  double level_sd = 0;          ///< of a, given b
};

/// The mean of successive rewards of an arm.
struct RewardPoint {
  double pull = 0;  ///< in the middle
  double mean = 0;
  Pulls count = 0;
};

/// The prior of the growth.
struct GrowthPrior {
  double growth_sd = 1;  ///< standard deviation of the growth up to the horizon, a reward
  double end_power = 0;  ///< growth that has gone on for n pulls lasts for more than x n with a probability of
                         ///< (1 + x)^-end_power
  Pulls pulls = 0;       ///< that growth has gone on for, until the last reward; lost ones included
};

/// Returns the posteriors under each shape, without those of negligible probability. `variance` is that of a reward
/// about its curve. Without rewards the posteriors are the prior.
std::vector<GrowthPosterior> growth_posteriors(std::span<const GrowthCurve> curves,
                                               std::span<const RewardPoint> rewards, double variance,
                                               const GrowthPrior& prior);

}  // namespace longrun
