#include "longrun/policy/statistics/growth_evidence.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

namespace longrun {
namespace {

constexpr GrowthPrior kPrior;

double normal_density(double x) { return std::exp(-0.5 * x * x) / std::sqrt(2 * std::numbers::pi); }
double normal_below(double x) { return 0.5 * std::erfc(-x / std::numbers::sqrt2); }

/// A normal variable with this mean and standard deviation 1, where it is not below 0.
struct Cut {
  double log_kept;  // of the probability of that
  double mean;
  double variance;
};
Cut cut_at_zero(double mean) {
  if (mean < -30) {  // the tail is an exponential, and its probability too small for a number
    return {.log_kept = -0.5 * mean * mean - std::log(-mean * std::sqrt(2 * std::numbers::pi)),
            .mean = -1 / mean,
            .variance = 1 / (mean * mean)};
  }
  const double kept = normal_below(mean);
  const double hazard = normal_density(mean) / kept;
  return {.log_kept = std::log(kept),
          .mean = std::max(0.0, mean + hazard),
          .variance = std::max(0.0, 1 - hazard * (hazard + mean))};
}

}  // namespace

void GrowthEvidence::add(const GrowthShapes& shapes, const GrowthShapes::Values& phi, double reward) {
  sums_.resize(shapes.count());
  for (std::size_t k = 0; k < sums_.size(); ++k) {
    sums_[k].phi += phi[k];
    sums_[k].squares += phi[k] * phi[k];
    sums_[k].products += phi[k] * reward;
  }
  rewards_ += reward;
  ++pulls_;
}

GrowthEvidence::Forecast GrowthEvidence::no_growth(double variance) const {
  const auto n = static_cast<double>(pulls_);
  const double prior = 1 / (kPrior.level_sd * kPrior.level_sd);
  const double precision = n / variance + prior;
  const double pull = (rewards_ - n * kPrior.level) / variance;
  return {.log_evidence = -0.5 * std::log(precision / prior) + 0.5 * pull * pull / precision,
          .mean = kPrior.level + pull / precision,
          .sd = std::sqrt(1 / precision)};
}

/// The posterior of (a, b) is normal, cut off at b = 0; its mean and variance are those of a truncated normal.
GrowthEvidence::Forecast GrowthEvidence::growth(const Sums& sums, double ahead, double variance) const {
  const auto n = static_cast<double>(pulls_);
  const double level_prior = 1 / (kPrior.level_sd * kPrior.level_sd);
  const double growth_prior = 1 / (kPrior.growth_sd * kPrior.growth_sd);
  const double aa = n / variance + level_prior;
  const double ab = sums.phi / variance;
  const double bb = sums.squares / variance + growth_prior;
  const double a_pull = (rewards_ - n * kPrior.level) / variance;
  const double b_pull = (sums.products - kPrior.level * sums.phi) / variance;
  const double determinant = aa * bb - ab * ab;
  const double b_variance = aa / determinant;
  const double a_mean = (bb * a_pull - ab * b_pull) / determinant;
  const double b_mean = (aa * b_pull - ab * a_pull) / determinant;

  const Cut cut = cut_at_zero(b_mean / std::sqrt(b_variance));
  const double b_cut_mean = std::sqrt(b_variance) * cut.mean;
  const double b_cut_variance = b_variance * cut.variance;
  const double a_per_b = -ab / aa;  // how the level gives way where growth is larger
  const double lever = ahead + a_per_b;
  return {.log_evidence = -0.5 * std::log(determinant / (level_prior * growth_prior)) +
                          0.5 * (a_pull * a_mean + b_pull * b_mean) + std::log(2.0) + cut.log_kept,
          .mean = kPrior.level + a_mean + a_per_b * (b_cut_mean - b_mean) + ahead * b_cut_mean,
          .sd = std::sqrt(1 / aa + lever * lever * b_cut_variance)};
}

void GrowthEvidence::append_prospects(const GrowthShapes& shapes, Pulls remaining, double variance, double now,
                                      double weight, Prospects& prospects) const {
  const std::size_t count = sums_.size();
  const GrowthShapes::Values ahead = shapes.mean_ahead(pulls_, remaining);
  std::array<Forecast, GrowthShapes::kMost + 1> forecasts{};
  std::array<double, GrowthShapes::kMost + 1> beliefs{};
  double largest = -1e300;
  for (std::size_t k = 0; k <= count; ++k) {
    forecasts[k] = k == count ? no_growth(variance) : growth(sums_[k], ahead[k], variance);
    const double prior = k == count ? kPrior.no_growth : (1 - kPrior.no_growth) / static_cast<double>(count);
    beliefs[k] = kPrior.temper * forecasts[k].log_evidence + std::log(prior);
    largest = std::max(largest, beliefs[k]);
  }
  double total = 0;
  for (std::size_t k = 0; k <= count; ++k) total += beliefs[k] = std::exp(beliefs[k] - largest);
  for (std::size_t k = 0; k <= count; ++k) {
    if (beliefs[k] < 1e-5 * total) continue;
    for (const double z : {-1.0, 0.0, 1.0}) {
      const double average = std::clamp(forecasts[k].mean + z * forecasts[k].sd, 0.0, 1.0);
      prospects.add({weight * beliefs[k] / total / 3, average, std::min(average, now)});
    }
  }
}

}  // namespace longrun
