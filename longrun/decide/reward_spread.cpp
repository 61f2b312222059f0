#include "longrun/decide/reward_spread.h"

#include <cmath>

#include "longrun/decide/reward_scale.h"

namespace longrun {
namespace {

/// Limits on correct amounts. Found with simulated lognormal, exponential and rare amounts (reward_spread_test.cpp).
struct SpreadLimits {
  double fewest = 8;        ///< rewards; fewer say little about the scale
  double fewest_above = 3;  ///< amounts above the mean logarithm; fewer do not tell their spread
  double fits = 0.5;        ///< share of the rewards that a correct scale contains at least
  double rare = 0.5;        ///< share of the rewards that rare amounts are at most; the others are 0
  double errors = 5;        ///< standard deviations of a normal logarithm: chance exceeds it once in 3 million times
  double unknown_sd = 2.5;  ///< added to `errors`, divided by the root of the amounts that tell the standard deviation
};
constexpr SpreadLimits kLimits;

bool is_on_scale(double unit) { return unit >= -kScaleSlack && unit <= 1 + kScaleSlack; }

}  // namespace

RewardSpread::RewardSpread(std::span<const Reward> rewards) {
  for (const Reward& reward : rewards) add(reward);
  above_ = squares_above_ = 0;  // by the mean of all logarithms
  for (const Reward& reward : rewards) {
    if (reward.amount > 0) add_above(std::log(reward.amount));
  }
}

void RewardSpread::add(const Reward& reward) {
  const bool is_inside = is_on_scale(reward.unit);
  ++count_;
  if (is_inside) ++inside_;
  if (reward.amount < 0) ++negative_;
  if (!(reward.amount > 0)) return;
  if (is_inside) ++amounts_inside_;
  const double log = std::log(reward.amount);
  ++amounts_;
  logs_ += log;
  add_above(log);
}

void RewardSpread::add_above(double log) {
  const double distance = log - mean_log();
  if (distance <= 0) return;
  ++above_;
  squares_above_ += distance * distance;
}

bool RewardSpread::scale_fits() const { return count_ >= kLimits.fewest && inside_ >= kLimits.fits * count_; }

bool RewardSpread::has_rare_amounts() const {
  return negative_ == 0 && amounts_ <= kLimits.rare * count_ && amounts_inside_ <= kLimits.fits * amounts_;
}

bool RewardSpread::explains(double amount) const { return explains(amount, above_, squares_above_); }

bool RewardSpread::explains_without(double amount) const {
  if (!(amount > 0)) return false;
  const double distance = std::log(amount) - mean_log();
  if (distance <= 0) return explains(amount);  // it is none of those above the mean
  return explains(amount, above_ - 1, squares_above_ - distance * distance);
}

bool RewardSpread::explains(double amount, double above, double squares_above) const {
  if (negative_ > 0 || !(amount > 0)) return false;
  if (above < kLimits.fewest_above) return has_rare_amounts();
  if (!(squares_above > 0)) return false;
  const double sd = std::sqrt(squares_above / above);
  return std::log(amount) - mean_log() <= (kLimits.errors + kLimits.unknown_sd / std::sqrt(above)) * sd;
}

}  // namespace longrun
