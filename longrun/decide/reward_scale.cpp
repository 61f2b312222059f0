#include "longrun/decide/reward_scale.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "longrun/base/input_error.h"
#include "longrun/model/arm_labels.h"
#include "longrun/model/history.h"

namespace longrun {
namespace {

// All in units of the scale's range.
constexpr double kLargestReward = 1000;  // limit for |reward| and for the noise's standard deviation
constexpr double kMiss = 1e-10;  // probability of a single reward that is further outside than known noise explains
constexpr double kSmallestSd = 0.25;  // a few rewards may be equal by chance, so a small estimate is not trusted
constexpr double kFewestOfMean = 8;   // rewards of an arm; the mean of fewer skewed ones says little
constexpr double kErrorsOfMean =
    3;  // standard errors of the mean of an arm's other rewards, which must be on the scale
constexpr double kErrorsOfAll =
    0.7;                          // the same of the mean of all rewards: the only amount of a log is 1 error above 0
constexpr double kLargestSd = 1;  // rewards on a scale of thousands differ by more than any plausible noise

}  // namespace

bool rewards_are_yes_or_no(const History& history, const RewardScale& scale) {
  return std::all_of(history.pulls.begin(), history.pulls.end(),
                     [&](const PastPull& pull) { return !pull.reward || scale.is_end(*pull.reward); });
}

void check(const RewardScale& scale, const std::optional<Noise>& noise) {
  if (!std::isfinite(scale.range()) || !(scale.range() > 0)) {
    throw InputError(fmt::format("scale {:g}:{:g}: must be two finite numbers, the first smaller than the second",
                                 scale.minimum, scale.maximum));
  }
  if (noise && !(standard_deviation(*noise) <= kLargestReward)) {
    throw InputError(
        fmt::format("the noise's standard deviation is {:g} times the range of rewards; at most {:g} is accepted",
                    standard_deviation(*noise), kLargestReward));
  }
}

ScaleCheck::ScaleCheck(const RewardScale& scale, const std::optional<Noise>& noise, Arm arms)
    : scale_(scale), moments_(static_cast<std::size_t>(arms)) {
  if (!noise) return;
  sd_ = standard_deviation(*noise);
  farthest_ = std::min(kLargestReward, error_quantile(*noise, kMiss));
  yes_or_no_ = std::holds_alternative<Bernoulli>(*noise);
  may_be_skew_ = std::holds_alternative<Gaussian>(*noise);
}

double ScaleCheck::Moments::variance() const {
  const double mean = sum / count;
  return std::max(0.0, squares / count - mean * mean);
}

double ScaleCheck::sd_of(const Moments& rewards) const {
  if (sd_) return *sd_;
  if (rewards.count == 0) return kSmallestSd;
  return std::clamp(std::sqrt(rewards.variance()), kSmallestSd, kLargestSd);
}

double ScaleCheck::add(Arm arm, double reward, const std::vector<std::string>& arm_names, bool enforced) {
  if (!std::isfinite(reward)) {
    throw RewardError(fmt::format("reward {} of {} is not a finite number", reward, arm_label(arm_names, arm)));
  }
  const double unit = scale_.to_unit(reward);
  if (enforced && yes_or_no_ && unit != 0 && unit != 1) {
    throw RewardError(fmt::format("reward {:g} of {}: with yes/no rewards it must be {:g} or {:g}", reward,
                                  arm_label(arm_names, arm), scale_.minimum, scale_.maximum));
  }
  Moments& moments = moments_[static_cast<std::size_t>(arm)];
  const Moments with{moments.sum + unit, moments.squares + unit * unit, moments.count + 1};
  if (enforced) {
    std::string problem;
    if (unit < 0 || unit > 1) problem = problem_of_reward(arm, reward, unit, arm_names);
    if (problem.empty() && (with.sum < 0 || with.sum > with.count))
      problem = problem_of_mean(arm, reward, with, arm_names);
    if (!problem.empty() &&
        !(spread_.scale_fits() && is_explained(unit, all_rewards(), moments, spread_.explains(reward)))) {
      throw OutsideScaleError(problem);
    }
  }
  moments = with;
  spread_.add({.unit = unit, .amount = reward});
  return unit;
}

bool ScaleCheck::may_be_right(Arm arm, double reward, const RewardSpread& log) const {
  const double unit = scale_.to_unit(reward);
  const Moments& of_arm = moments_[static_cast<std::size_t>(arm)];
  const Moments others{of_arm.sum - unit, of_arm.squares - unit * unit, of_arm.count - 1};
  AllRewards all = all_rewards();
  all.sum -= unit;
  all.count -= 1;
  all.squares = std::max(0.0, all.squares - of_arm.squares_about_mean() + others.squares_about_mean());
  return log.scale_fits() && is_explained(unit, all, others, log.explains_without(reward));
}

ScaleCheck::AllRewards ScaleCheck::all_rewards() const {
  AllRewards all;
  for (const Moments& each : moments_) {
    all.sum += each.sum;
    all.count += each.count;
    all.squares += each.squares_about_mean();
  }
  return all;
}

bool ScaleCheck::is_explained(double unit, const AllRewards& all, const Moments& others, bool is_skew) const {
  if (!may_be_skew_ || std::abs(unit) > kLargestReward) return false;
  const auto outside = [](double mean) { return std::max(-mean, mean - 1) - kScaleSlack; };
  if (outside(unit) <= 0) return true;  // only the mean is outside, by earlier rewards
  const double count = all.count + 1;
  const double mean = (all.sum + unit) / count;
  const double error = std::sqrt((all.squares + (unit - mean) * (unit - mean)) / (count * count));
  if (outside(mean) > kErrorsOfAll * error) return false;
  const double least_sd = sd_.value_or(kSmallestSd);
  const double variance = std::max(all.squares / all.count, least_sd * least_sd);
  if (others.count >= kFewestOfMean) {
    const double error_of_arm = std::sqrt(std::max(variance, others.variance()) / others.count);
    if (outside(others.sum / others.count) > kErrorsOfMean * error_of_arm) return false;
  }
  const bool is_large = unit > 1;  // a small amount is no skewed one: a decimal slip, or another unit
  return (is_skew && is_large) || outside(unit) <= kScaleErrors * std::sqrt(variance);
}

std::string ScaleCheck::problem_of_reward(Arm arm, double reward, double unit,
                                          const std::vector<std::string>& arm_names) const {
  const double outside = std::max(-unit, unit - 1) - kScaleSlack;
  if (outside <= 0) return "";
  if (std::abs(unit) > kLargestReward) {
    return fmt::format("reward {:g} of {} is far outside the scale {:g} to {:g}", reward, arm_label(arm_names, arm),
                       scale_.minimum, scale_.maximum);
  }
  const double explained = farthest_ ? *farthest_ : kScaleErrors * sd_of(moments_[static_cast<std::size_t>(arm)]);
  if (outside <= explained) return "";
  return fmt::format("reward {:g} of {} is further outside the scale {:g} to {:g} than noise explains", reward,
                     arm_label(arm_names, arm), scale_.minimum, scale_.maximum);
}

std::string ScaleCheck::problem_of_mean(Arm arm, double reward, const Moments& rewards,
                                        const std::vector<std::string>& arm_names) const {
  const double outside =
      std::max(-rewards.sum, rewards.sum - rewards.count) - kScaleSlack * rewards.count;  // times count
  if (outside <= 0) return "";  // without the costs of a division and a root
  if (outside <= kScaleErrors * sd_of(rewards) * std::sqrt(rewards.count) + farthest_.value_or(0)) return "";
  return fmt::format("with reward {:g} the rewards of {} average {:.4g}, outside the scale {:g} to {:g}", reward,
                     arm_label(arm_names, arm), scale_.from_unit(rewards.sum / rewards.count), scale_.minimum,
                     scale_.maximum);
}

}  // namespace longrun
