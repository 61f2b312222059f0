#pragma once

#include <algorithm>
#include <cmath>
#include <numbers>

#include "longrun/policy/foresight/foresight_tuning.h"

namespace longrun {

/// Sums over the rewards of an arm, from which the regression reward = a + b phi(pull) is computed.
struct GrowthSums {
  double count = 0;
  double rewards = 0;
  double phi = 0;
  double squares = 0;   ///< of phi
  double products = 0;  ///< of phi and the reward
};

/// The posterior of (a, b) of that regression, for b of either sign. The prior is normal: of a by ForesightTuning, of b
/// with mean 0 and standard deviation `growth_sd`. `variance` is that of a reward about its curve.
struct GrowthRegression {
  GrowthRegression(const GrowthSums& sums, double variance, double growth_sd);

  double aa;      ///< of the precision matrix
  double ab;      ///< of the precision matrix
  double a_mean;  ///< relative to the prior's level
  double b_mean;
  double b_variance;
  double log_evidence;  ///< of the rewards, up to a constant that is the same for all shapes
};

/// Returns the probability that a normal variable with mean 0 and standard deviation 1 is below z.
inline double normal_below(double z) { return 0.5 * std::erfc(-z / std::numbers::sqrt2); }

/// A normal variable with standard deviation 1, given that it is positive.
struct PositiveNormal {
  double log_probability;  ///< of the condition
  double mean;
  double variance;
};
/// Returns it for a normal variable with this mean.
inline PositiveNormal given_positive(double mean) {
  constexpr double kFarTail = -30;  // below it the probability underflows and the tail is nearly exponential
  if (mean < kFarTail) {
    return {.log_probability = -0.5 * mean * mean - std::log(-mean * std::sqrt(2 * std::numbers::pi)),
            .mean = -1 / mean,
            .variance = 1 / (mean * mean)};
  }
  const double probability = normal_below(mean);
  const double hazard = std::exp(-0.5 * mean * mean) / std::sqrt(2 * std::numbers::pi) / probability;
  return {.log_probability = std::log(probability),
          .mean = std::max(0.0, mean + hazard),
          .variance = std::max(0.0, 1 - hazard * (hazard + mean))};
}

inline GrowthRegression::GrowthRegression(const GrowthSums& sums, double variance, double growth_sd) {
  const double level_prior = 1 / (kForesightTuning.level_sd * kForesightTuning.level_sd);
  const double growth_prior = 1 / (growth_sd * growth_sd);
  aa = sums.count / variance + level_prior;
  ab = sums.phi / variance;
  const double bb = sums.squares / variance + growth_prior;
  const double a_score = (sums.rewards - sums.count * kForesightTuning.level_mean) / variance;
  const double b_score = (sums.products - kForesightTuning.level_mean * sums.phi) / variance;
  const double determinant = aa * bb - ab * ab;
  b_variance = aa / determinant;
  a_mean = (bb * a_score - ab * b_score) / determinant;
  b_mean = (aa * b_score - ab * a_score) / determinant;
  log_evidence =
      -0.5 * std::log(determinant / (level_prior * growth_prior)) + 0.5 * (a_score * a_mean + b_score * b_mean);
}

}  // namespace longrun
