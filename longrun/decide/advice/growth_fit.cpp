#include "longrun/decide/advice/growth_fit.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>

#include "longrun/policy/statistics/growth_regression.h"

namespace longrun {
namespace {

constexpr double kShortestScale = 2;  // pulls
constexpr double kLongestScale = 4;   // horizons; longer ones are straight lines
constexpr std::array kExponents{0.75, 0.5, 0.25, -0.25, -0.5, -1.0};
constexpr double kEvidenceExponent = 0.8;      // power of the likelihood, since no real curve has a shape exactly
constexpr double kSmallestProbability = 1e-4;  // of a shape

}  // namespace

GrowthCurve GrowthCurve::exponential(double scale, double horizon) {
  GrowthCurve curve;
  curve.scale_ = scale;
  curve.at_end_ = -std::expm1(-(horizon - 1) / scale);
  curve.lasting_ = scale;
  return curve;
}

GrowthCurve GrowthCurve::power(double exponent, double horizon) {
  GrowthCurve curve;
  curve.exponent_ = exponent;
  curve.at_end_ = std::pow(horizon, exponent) - 1;
  curve.lasting_ = exponent > 0 ? horizon : 0;
  return curve;
}

double GrowthCurve::at(double pull) const {
  return (scale_ > 0 ? -std::expm1(-(pull - 1) / scale_) : std::pow(pull, exponent_) - 1) / at_end_;
}

std::vector<GrowthCurve> growth_curves(Pulls horizon) {
  const double end = std::max(2.0, static_cast<double>(horizon));
  std::vector<GrowthCurve> curves;
  double scale = kShortestScale;
  while (scale < kLongestScale * end) {
    curves.push_back(GrowthCurve::exponential(scale, end));
    scale *= std::numbers::sqrt2;
  }
  for (const double exponent : kExponents) curves.push_back(GrowthCurve::power(exponent, end));
  return curves;
}

std::vector<GrowthPosterior> growth_posteriors(std::span<const GrowthCurve> curves,
                                               std::span<const RewardPoint> rewards, double variance,
                                               const GrowthPrior& prior) {
  std::vector<GrowthPosterior> result;
  result.reserve(curves.size());
  double largest = std::numeric_limits<double>::lowest();
  for (const GrowthCurve& curve : curves) {
    GrowthSums sums;
    for (const RewardPoint& point : rewards) {
      const auto count = static_cast<double>(point.count);
      const double phi = curve.at(point.pull);
      sums.count += count;
      sums.rewards += count * point.mean;
      sums.phi += count * phi;
      sums.squares += count * phi * phi;
      sums.products += count * phi * point.mean;
    }
    const GrowthRegression fit(sums, variance, prior.growth_sd);
    const double evidence = fit.log_evidence() + log_probability_positive(fit.b_mean / fit.b_sd);
    const double belief = kEvidenceExponent * evidence -
                          prior.end_power * std::log1p(curve.lasting() / static_cast<double>(1 + prior.pulls));
    result.push_back({.weight = belief,
                      .phi = curve,
                      .growth_mean = fit.b_mean,
                      .growth_sd = fit.b_sd,
                      .level_at_mean = kForesightTuning.level_mean + fit.a_mean,
                      .level_per_growth = fit.a_per_b,
                      .level_sd = std::sqrt(1 / fit.aa)});
    largest = std::max(largest, belief);
  }
  for (GrowthPosterior& each : result) each.weight = std::exp(each.weight - largest);
  std::erase_if(result, [](const GrowthPosterior& each) { return each.weight < kSmallestProbability; });
  double total = 0;
  for (const GrowthPosterior& each : result) total += each.weight;
  for (GrowthPosterior& each : result) each.weight /= total;
  return result;
}

}  // namespace longrun
