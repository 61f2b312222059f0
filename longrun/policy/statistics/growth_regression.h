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

/// The prior of the level a, a reward.
struct LevelPrior {
  double mean = kForesightTuning.level_mean;
  double sd = kForesightTuning.level_sd;
};

/// The posterior of (a, b) of that regression, for b of either sign. The prior is normal: of a by `level`, of b with
/// mean 0 and standard deviation `growth_sd`. `variance` is that of a reward about its curve.
///
/// The evidence of the rewards, up to a constant that is the same for all shapes and priors, is evidence_factor *
/// e^evidence_exponent: most callers need no logarithm of it.
struct GrowthRegression {
  GrowthRegression(const GrowthSums& sums, double variance, double growth_sd, const LevelPrior& level = {});

  double log_evidence() const { return std::log(evidence_factor) + evidence_exponent; }

  double aa;       ///< of the precision matrix
  double a_per_b;  ///< change of the mean of a, given b, per unit of b
  double a_mean;   ///< relative to the prior's level
  double b_mean;
  double b_sd;
  double evidence_factor;
  double evidence_exponent;
};

/// Returns the probability that a normal variable with mean 0 and standard deviation 1 is below z.
inline double normal_below(double z) { return 0.5 * std::erfc(-z / std::numbers::sqrt2); }

/// Up to this mean, a normal variable with standard deviation 1 that is positive has nearly an exponential
/// distribution. The formulas of that are then used, which differ by less than 1 %: the exact ones need a probability
/// that underflows from about -38 on.
constexpr double kFarTail = -30;

/// Returns the logarithm of the probability that a normal variable with this mean and standard deviation 1 is positive.
inline double log_probability_positive(double mean) {
  if (mean > kFarTail) return std::log(normal_below(mean));
  return -0.5 * mean * mean - std::log(-mean * std::sqrt(2 * std::numbers::pi));
}

/// A normal variable with standard deviation 1, given that it is positive.
struct PositiveNormal {
  double mean;
  double variance;
};

/// Returns the mean and the variance of a normal variable with this mean and standard deviation 1, given that it is
/// positive. `probability` is normal_below(mean), which callers need too; it is unused in the far tail.
inline PositiveNormal given_positive(double mean, double probability) {
  if (mean <= kFarTail) return {.mean = -1 / mean, .variance = 1 / (mean * mean)};
  const double hazard = std::exp(-0.5 * mean * mean) / std::sqrt(2 * std::numbers::pi) / probability;
  return {.mean = std::max(0.0, mean + hazard), .variance = std::max(0.0, 1 - hazard * (hazard + mean))};
}

inline GrowthRegression::GrowthRegression(const GrowthSums& sums, double variance, double growth_sd,
                                          const LevelPrior& level) {
  const double level_prior = 1 / (level.sd * level.sd);
  const double growth_prior = 1 / (growth_sd * growth_sd);
  const double precision = 1 / variance;
  aa = sums.count * precision + level_prior;
  const double ab = sums.phi * precision;
  const double bb = sums.squares * precision + growth_prior;
  const double a_score = (sums.rewards - sums.count * level.mean) * precision;
  const double b_score = (sums.products - level.mean * sums.phi) * precision;
  const double determinant = aa * bb - ab * ab;
  a_per_b = -ab / aa;
  a_mean = (bb * a_score - ab * b_score) / determinant;
  b_mean = (aa * b_score - ab * a_score) / determinant;
  b_sd = std::sqrt(aa / determinant);
  evidence_factor = std::sqrt(level_prior * growth_prior / determinant);
  const double centre = level.mean - kForesightTuning.level_mean;  // the constant is that of the usual level
  evidence_exponent = 0.5 * (a_score * a_mean + b_score * b_mean) +
                      centre * (sums.rewards - sums.count * (kForesightTuning.level_mean + 0.5 * centre)) * precision;
}

}  // namespace longrun
