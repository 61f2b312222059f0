#include "longrun/policy/statistics/growth_evidence.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "longrun/policy/statistics/growth_regression.h"

namespace longrun {

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

GrowthEvidence::Forecast GrowthEvidence::forecast_with_growth(const Sums& sums, double future_phi,
                                                              double variance) const {
  const GrowthRegression fit({.count = static_cast<double>(pulls_),
                              .rewards = rewards_,
                              .phi = sums.phi,
                              .squares = sums.squares,
                              .products = sums.products},
                             variance, kForesightTuning.growth_sd);
  const PositiveNormal b = given_positive(fit.b_mean / std::sqrt(fit.b_variance));
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

}  // namespace longrun
