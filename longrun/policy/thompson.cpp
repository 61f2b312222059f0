#include "longrun/policy/thompson.h"

#include <algorithm>
#include <cmath>

#include "longrun/policy/statistics/bounded_reward.h"
#include "longrun/policy/statistics/random_variates.h"

namespace longrun {
namespace {

StreamKey stream_of(const Setting& setting) {
  return {.seed = setting.seed, .replicate = setting.replicate, .purpose = Purpose::policy};
}

/// Returns the stream of one arm.
StreamKey lane_of(StreamKey stream, Arm arm) {
  stream.lane = static_cast<std::uint32_t>(arm);
  return stream;
}

}  // namespace

GaussianThompsonRule::GaussianThompsonRule(const Setting& setting, double sd)
    : sd_(sd), stream_(stream_of(setting)), posteriors_(static_cast<std::size_t>(setting.arms)) {}

void GaussianThompsonRule::observe(Arm arm, double reward, const Ledger& ledger) {
  Posterior& posterior = posteriors_[static_cast<std::size_t>(arm)];
  const auto count = static_cast<double>(ledger.pulls(arm));
  posterior.sum += bounded_reward(reward);
  posterior.mean = posterior.sum / count;
  posterior.error = 1 / std::sqrt(count);
}

double GaussianThompsonRule::index(Arm arm, const Ledger&) const {
  const Posterior& posterior = posteriors_[static_cast<std::size_t>(arm)];
  if (sd_ == 0) return posterior.mean;
  return posterior.mean + sd_ * posterior.error * normal_variate(lane_of(stream_, arm), draw_);
}

BetaThompsonRule::BetaThompsonRule(const Setting& setting)
    : stream_(stream_of(setting)), counts_(static_cast<std::size_t>(setting.arms)) {}

void BetaThompsonRule::observe(Arm arm, double reward, const Ledger&) {
  const double success = std::clamp(reward, 0.0, 1.0);
  Counts& counts = counts_[static_cast<std::size_t>(arm)];
  counts.successes += success;
  counts.failures += 1 - success;
}

double BetaThompsonRule::index(Arm arm, const Ledger&) const {
  const Counts& counts = counts_[static_cast<std::size_t>(arm)];
  return beta_variate(lane_of(stream_, arm), draw_, 1 + counts.successes, 1 + counts.failures);
}

GaussianThompson make_gaussian_thompson(const Setting& setting, const Parameters& parameters) {
  const double sd = parameters.find(kThompsonSd).value_or(standard_deviation(setting.noise));
  return {setting, GaussianThompsonRule(setting, sd)};
}

BetaThompson make_beta_thompson(const Setting& setting, const Parameters&) {
  return {setting, BetaThompsonRule(setting)};
}

}  // namespace longrun
