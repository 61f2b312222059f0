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

GrowthEvidence::Regression GrowthEvidence::regression(const Sums& sums, double variance) const {
  const auto n = static_cast<double>(pulls_);
  const double level_prior = 1 / (kForesightTuning.level_sd * kForesightTuning.level_sd);
  const double growth_prior = 1 / (kForesightTuning.growth_sd * kForesightTuning.growth_sd);
  const double aa = n / variance + level_prior;
  const double ab = sums.phi / variance;
  const double bb = sums.squares / variance + growth_prior;
  const double a_score = (rewards_ - n * kForesightTuning.level_mean) / variance;
  const double b_score = (sums.products - kForesightTuning.level_mean * sums.phi) / variance;
  const double determinant = aa * bb - ab * ab;
  const double a_mean = (bb * a_score - ab * b_score) / determinant;
  const double b_mean = (aa * b_score - ab * a_score) / determinant;
  return {.aa = aa,
          .ab = ab,
          .a_mean = a_mean,
          .b_mean = b_mean,
          .b_variance = aa / determinant,
          .log_evidence = -0.5 * std::log(determinant / (level_prior * growth_prior)) +
                          0.5 * (a_score * a_mean + b_score * b_mean)};
}

GrowthEvidence::Forecast GrowthEvidence::forecast_with_growth(const Sums& sums, double future_phi,
                                                              double variance) const {
  const Regression fit = regression(sums, variance);
  const TruncatedNormal b = truncated_at_zero(fit.b_mean / std::sqrt(fit.b_variance));
  const double b_truncated_mean = std::sqrt(fit.b_variance) * b.mean;
  const double b_truncated_variance = fit.b_variance * b.variance;
  const double a_per_b = -fit.ab / fit.aa;  // change of the mean of a, given b, per unit of b
  const double forecast_per_b = future_phi + a_per_b;
  return {.log_evidence = fit.log_evidence + std::log(2.0) + b.log_probability,
          .mean = kForesightTuning.level_mean + fit.a_mean + a_per_b * (b_truncated_mean - fit.b_mean) +
                  future_phi * b_truncated_mean,
          .sd = std::sqrt(1 / fit.aa + forecast_per_b * forecast_per_b * b_truncated_variance)};
}

void GrowthEvidence::append_prospects(const GrowthShapes& shapes, Pulls remaining, double variance, double now,
                                      double weight, Prospects& prospects) const {
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
    if (beliefs[k] < kForesightTuning.smallest_belief * total) continue;
    for (const double z : kForesightTuning.deviations) {
      const double average = std::clamp(forecasts[k].mean + z * forecasts[k].sd, 0.0, 1.0);
      prospects.add({weight * beliefs[k] / total / static_cast<double>(kForesightTuning.deviations.size()), average,
                     std::min(average, now)});
    }
  }
}

std::vector<GrowthPosterior> GrowthEvidence::posteriors(const GrowthShapes& shapes, double variance) const {
  std::vector<GrowthPosterior> result;
  double largest = std::numeric_limits<double>::lowest();
  for (std::size_t k = 0; k < shapes.count(); ++k) {
    const Regression fit = regression(sums_.empty() ? Sums{} : sums_[k], variance);
    const double b_sd = std::sqrt(fit.b_variance);
    const double belief =
        kForesightTuning.evidence_exponent * (fit.log_evidence + truncated_at_zero(fit.b_mean / b_sd).log_probability);
    result.push_back({.weight = belief,
                      .shape = k,
                      .growth_mean = fit.b_mean,
                      .growth_sd = b_sd,
                      .level_at_mean = kForesightTuning.level_mean + fit.a_mean,
                      .level_per_growth = -fit.ab / fit.aa,
                      .level_sd = std::sqrt(1 / fit.aa)});
    largest = std::max(largest, belief);
  }
  for (GrowthPosterior& each : result) each.weight = std::exp(each.weight - largest);
  std::erase_if(result, [](const GrowthPosterior& each) { return each.weight < kForesightTuning.smallest_belief; });
  double total = 0;
  for (const GrowthPosterior& each : result) total += each.weight;
  for (GrowthPosterior& each : result) each.weight /= total;
  return result;
}

}  // namespace longrun
