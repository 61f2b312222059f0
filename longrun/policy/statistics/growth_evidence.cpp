#include "longrun/policy/statistics/growth_evidence.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "longrun/policy/statistics/growth_regression.h"

namespace longrun {
namespace {

/// Returns whether a curve that grows from 0 can have paid `first` at its first pull, so that its probability is not
/// negligible. Growth begins after the first pull.
bool can_start_from_zero(double first, double variance) {
  constexpr double kNegligible = 12;  // e^-12 is about ForesightTuning::smallest_belief
  const double start_variance = kForesightTuning.zero_sd * kForesightTuning.zero_sd + variance;
  return first <= 0 || first * first < 2 * kNegligible * start_variance;
}

}  // namespace

void GrowthEvidence::add(const GrowthShapes& shapes, double reward) {
  if (pulls_ == 0 && lost_ == 0) first_ = reward;
  ++pulls_;
  const GrowthShapes::Values phi = shapes.at(pulls_ + lost_);
  if (sums_.empty()) sums_.resize(shapes.count());
  for (std::size_t k = 0; k < sums_.size(); ++k) {
    sums_[k].phi += phi[k];
    sums_[k].squares += phi[k] * phi[k];
    sums_[k].products += phi[k] * reward;
  }
  rewards_ += reward;
}

GrowthEvidence::Model GrowthEvidence::without_growth(const Belief& belief) const {
  const auto n = static_cast<double>(pulls_);
  const double prior = 1 / (kForesightTuning.level_sd * kForesightTuning.level_sd);
  const double precision = n / belief.variance + prior;
  const double score = (rewards_ - n * kForesightTuning.level_mean) / belief.variance;
  return {.weight = std::sqrt(prior / precision),
          .exponent = 0.5 * score * score / precision,
          .prior = belief.prior.constant,
          .aa = precision,
          .a_mean = score / precision,
          .a_per_b = 0,
          .b_mean = 0,
          .b_sd = 0,
          .z = kFarTail,
          .positive = 1};
}

GrowthEvidence::Model GrowthEvidence::with_growth(const Belief& belief, double prior, const Sums& sums,
                                                  const LevelPrior& level) const {
  const GrowthRegression fit({.count = static_cast<double>(pulls_),
                              .rewards = rewards_,
                              .phi = sums.phi,
                              .squares = sums.squares,
                              .products = sums.products},
                             belief.variance, belief.growth_sd, level);
  const double z = fit.b_mean / fit.b_sd;
  return {.weight = 2 * fit.evidence_factor,
          .exponent = z > kFarTail ? fit.evidence_exponent : fit.evidence_exponent + log_probability_positive(z),
          .prior = prior,
          .aa = fit.aa,
          .a_mean = fit.a_mean,
          .a_per_b = fit.a_per_b,
          .b_mean = fit.b_mean,
          .b_sd = fit.b_sd,
          .z = z,
          .positive = 1};
}

std::size_t GrowthEvidence::fill(const Belief& belief, Models& models) const {
  const std::size_t shapes = sums_.size();
  const auto share = [&](double kind) { return kind / static_cast<double>(shapes); };
  std::size_t count = 0;
  models[count++] = without_growth(belief);
  for (const Sums& sums : sums_) models[count++] = with_growth(belief, share(belief.prior.grows), sums, {});
  if (belief.prior.grows_from_zero > 0 && can_start_from_zero(first_, belief.variance)) {
    const LevelPrior near_zero{.mean = 0, .sd = kForesightTuning.zero_sd};
    for (const Sums& sums : sums_) {
      models[count++] = with_growth(belief, share(belief.prior.grows_from_zero), sums, near_zero);
    }
  }
  double largest = std::numeric_limits<double>::lowest();
  for (std::size_t k = 0; k < count; ++k) {
    if (models[k].prior > 0) largest = std::max(largest, models[k].exponent);
  }
  double total = 0;
  for (std::size_t k = 0; k < count; ++k) {
    complete_weight(models[k], largest);
    total += models[k].weight;
  }
  for (std::size_t k = 0; k < count; ++k) models[k].weight /= total;
  return count;
}

/// Multiplies the weight by its missing factors, relative to e^largest.
void GrowthEvidence::complete_weight(Model& model, double largest) {
  constexpr double kUnderflow = -746;  // e^x is 0 for smaller x
  if (model.prior <= 0 || model.exponent - largest < kUnderflow) {
    model.weight = 0;
    return;
  }
  if (model.z > kFarTail) {  // else the probability is in the exponent
    model.positive = normal_below(model.z);
    model.weight *= model.positive;
  }
  model.weight *= model.prior;
  model.weight *= std::exp(model.exponent - largest);
}

CurveKinds GrowthEvidence::kinds(const Belief& belief) const {
  Models models;
  const std::size_t count = fill(belief, models);
  CurveKinds kinds{.constant = models[0].weight};
  for (std::size_t k = 1; k < count; ++k) (k <= sums_.size() ? kinds.grows : kinds.grows_from_zero) += models[k].weight;
  return kinds;
}

void GrowthEvidence::append_prospects(const Belief& belief, Pulls remaining, double now, double weight,
                                      Prospects& prospects) const {
  Models models;
  const std::size_t count = fill(belief, models);
  const GrowthShapes::Values future_phi = belief.shapes.future_mean(pulls_ + lost_, remaining);
  const auto add = [&](double share, double average) {
    average = std::clamp(average, 0.0, 1.0);
    prospects.add({weight * share, average, std::min(average, now)});
  };
  for (std::size_t k = 0; k < count; ++k) {
    const Model& model = models[k];
    if (model.weight < kForesightTuning.smallest_belief) continue;
    if (k == 0) {
      const double mean = kForesightTuning.level_mean + model.a_mean;
      for (const NormalPoint& point : kNoGrowthPoints) {
        add(model.weight * point.weight, mean + point.deviation / std::sqrt(model.aa));
      }
      continue;
    }
    const bool from_zero = k > sums_.size();
    const PositiveNormal b = given_positive(model.z, model.positive);
    const double b_mean = model.b_sd * b.mean;
    const double phi = future_phi[from_zero ? k - 1 - sums_.size() : k - 1];
    const double mean = (from_zero ? 0 : kForesightTuning.level_mean) + model.a_mean +
                        model.a_per_b * (b_mean - model.b_mean) + phi * b_mean;
    const double per_b = phi + model.a_per_b;
    const double sd = std::sqrt(1 / model.aa + per_b * per_b * model.b_sd * model.b_sd * b.variance);
    for (const double z : kForesightTuning.deviations) {
      add(model.weight / static_cast<double>(kForesightTuning.deviations.size()), mean + z * sd);
    }
  }
}

}  // namespace longrun
