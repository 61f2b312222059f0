#include "longrun/policy/statistics/growth_evidence.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>

namespace longrun {
namespace {

double normal_density(double x) { return std::exp(-0.5 * x * x) / std::sqrt(2 * std::numbers::pi); }
double normal_cdf(double x) { return 0.5 * std::erfc(-x / std::numbers::sqrt2); }

/// A normal variable with standard deviation 1, given that it is at least 0.
struct TruncatedNormal {
  double log_probability;  // of the condition
  double mean;
  double variance;
};
/// Returns it for a normal variable with this mean.
TruncatedNormal truncated_at_zero(double mean) {
  constexpr double kFarTail = -30;  // below it the probability underflows and the tail is nearly exponential
  if (mean < kFarTail) {
    return {.log_probability = -0.5 * mean * mean - std::log(-mean * std::sqrt(2 * std::numbers::pi)),
            .mean = -1 / mean,
            .variance = 1 / (mean * mean)};
  }
  const double probability = normal_cdf(mean);
  const double hazard = normal_density(mean) / probability;
  return {.log_probability = std::log(probability),
          .mean = std::max(0.0, mean + hazard),
          .variance = std::max(0.0, 1 - hazard * (hazard + mean))};
}

}  // namespace

void GrowthEvidence::add(const GrowthShapes& shapes, double reward) {
  ++pulls_;
  const GrowthShapes::Values phi = shapes.at(pulls_ + lost_);
  sums_.resize(shapes.count());
  for (std::size_t k = 0; k < sums_.size(); ++k) {
    sums_[k].phi += phi[k];
    sums_[k].squares += phi[k] * phi[k];
    sums_[k].products += phi[k] * reward;
  }
  rewards_ += reward;
}

GrowthEvidence::Forecast GrowthEvidence::forecast_without_growth(double variance) const {
  const auto n = static_cast<double>(pulls_);
  const double prior = 1 / (kForesightTuning.level_sd * kForesightTuning.level_sd);
  const double precision = n / variance + prior;
  const double score = (rewards_ - n * kForesightTuning.level_mean) / variance;
  return {.log_evidence = -0.5 * std::log(precision / prior) + 0.5 * score * score / precision,
          .mean = kForesightTuning.level_mean + score / precision,
          .sd = std::sqrt(1 / precision)};
}

/// Computes the forecast from the posterior of (a, b), a normal distribution truncated at b = 0. `aa`, `ab`, `bb` are
/// its precision matrix; a is relative to the prior's level.
GrowthEvidence::Forecast GrowthEvidence::forecast_with_growth(const Sums& sums, double future_phi,
                                                              double variance) const {
  const auto n = static_cast<double>(pulls_);
  const double level_prior = 1 / (kForesightTuning.level_sd * kForesightTuning.level_sd);
  const double growth_prior = 1 / (kForesightTuning.growth_sd * kForesightTuning.growth_sd);
  const double aa = n / variance + level_prior;
  const double ab = sums.phi / variance;
  const double bb = sums.squares / variance + growth_prior;
  const double a_score = (rewards_ - n * kForesightTuning.level_mean) / variance;
  const double b_score = (sums.products - kForesightTuning.level_mean * sums.phi) / variance;
  const double determinant = aa * bb - ab * ab;
  const double b_variance = aa / determinant;
  const double a_mean = (bb * a_score - ab * b_score) / determinant;
  const double b_mean = (aa * b_score - ab * a_score) / determinant;

  const TruncatedNormal b = truncated_at_zero(b_mean / std::sqrt(b_variance));
  const double b_truncated_mean = std::sqrt(b_variance) * b.mean;
  const double b_truncated_variance = b_variance * b.variance;
  const double a_per_b = -ab / aa;  // change of the mean of a, given b, per unit of b
  const double forecast_per_b = future_phi + a_per_b;
  return {.log_evidence = -0.5 * std::log(determinant / (level_prior * growth_prior)) +
                          0.5 * (a_score * a_mean + b_score * b_mean) + std::log(2.0) + b.log_probability,
          .mean = kForesightTuning.level_mean + a_mean + a_per_b * (b_truncated_mean - b_mean) +
                  future_phi * b_truncated_mean,
          .sd = std::sqrt(1 / aa + forecast_per_b * forecast_per_b * b_truncated_variance)};
}

template <class Use>
void GrowthEvidence::for_each_model(const GrowthShapes& shapes, Pulls remaining, double variance, Use use) const {
  const std::size_t count = sums_.size();  // model number `count` is the one without growth
  const GrowthShapes::Values future_phi = shapes.future_mean(pulls_ + lost_, remaining);
  std::array<Forecast, GrowthShapes::kMost + 1> forecasts{};
  std::array<double, GrowthShapes::kMost + 1> beliefs{};
  double largest = std::numeric_limits<double>::lowest();
  for (std::size_t k = 0; k <= count; ++k) {
    forecasts[k] =
        k == count ? forecast_without_growth(variance) : forecast_with_growth(sums_[k], future_phi[k], variance);
    const double prior =
        k == count ? kForesightTuning.no_growth : (1 - kForesightTuning.no_growth) / static_cast<double>(count);
    beliefs[k] = kForesightTuning.evidence_exponent * forecasts[k].log_evidence + std::log(prior);
    largest = std::max(largest, beliefs[k]);
  }
  double total = 0;
  for (std::size_t k = 0; k <= count; ++k) total += beliefs[k] = std::exp(beliefs[k] - largest);
  for (std::size_t k = 0; k <= count; ++k) {
    if (beliefs[k] >= kForesightTuning.smallest_belief * total) use(beliefs[k], total, forecasts[k]);
  }
}

void GrowthEvidence::append_prospects(const GrowthShapes& shapes, Pulls remaining, double variance, double now,
                                      double weight, Prospects& prospects) const {
  for_each_model(shapes, remaining, variance, [&](double belief, double all, const Forecast& forecast) {
    for (const double z : kForesightTuning.deviations) {
      const double average = std::clamp(forecast.mean + z * forecast.sd, 0.0, 1.0);
      prospects.add({weight * belief / all / static_cast<double>(kForesightTuning.deviations.size()), average,
                     std::min(average, now)});
    }
  });
}

void GrowthEvidence::append_futures(const GrowthShapes& shapes, Pulls remaining, double variance, double weight,
                                    std::vector<FutureReward>& futures) const {
  for_each_model(shapes, remaining, variance, [&](double belief, double all, const Forecast& forecast) {
    futures.push_back({.weight = weight * belief / all, .mean = forecast.mean, .sd = forecast.sd});
  });
}

}  // namespace longrun
