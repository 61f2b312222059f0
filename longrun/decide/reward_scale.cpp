#include "longrun/decide/reward_scale.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "longrun/base/input_error.h"
#include "longrun/model/history.h"

namespace longrun {
namespace {

// All in units of the scale's range.
constexpr double kLargestReward = 1000;  // limit for |reward| and for the noise's standard deviation
constexpr double kMiss = 1e-10;  // probability of a single reward that is further outside than known noise explains
constexpr double kSmallestSd = 0.25;  // a few rewards may be equal by chance, so a small estimate is not trusted
constexpr double kLargestSd = 1;      // rewards on a scale of thousands differ by more than any plausible noise

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

std::string arm_label(const std::vector<std::string>& arm_names, Arm arm) {
  const std::string label = label_of(arm_names, arm);
  return is_whole_number(label) ? fmt::format("arm {}", label) : fmt::format("arm '{}'", label);
}

ScaleCheck::ScaleCheck(const RewardScale& scale, const std::optional<Noise>& noise, Arm arms)
    : scale_(scale), moments_(static_cast<std::size_t>(arms)) {
  if (!noise) return;
  sd_ = standard_deviation(*noise);
  farthest_ = std::min(kLargestReward, error_quantile(*noise, kMiss));
  yes_or_no_ = std::holds_alternative<Bernoulli>(*noise);
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
  if (enforced && (unit < 0 || unit > 1 || yes_or_no_)) check_reward(arm, reward, unit, arm_names);
  Moments& moments = moments_[static_cast<std::size_t>(arm)];
  const Moments with{moments.sum + unit, moments.squares + unit * unit, moments.count + 1};
  if (enforced && (with.sum < 0 || with.sum > with.count)) check_mean(arm, reward, with, arm_names);
  moments = with;
  return unit;
}

void ScaleCheck::check_reward(Arm arm, double reward, double unit, const std::vector<std::string>& arm_names) const {
  if (yes_or_no_ && unit != 0 && unit != 1) {
    throw RewardError(fmt::format("reward {:g} of {}: with yes/no rewards it must be {:g} or {:g}", reward,
                                  arm_label(arm_names, arm), scale_.minimum, scale_.maximum));
  }
  const double outside = std::max(-unit, unit - 1) - kScaleSlack;
  if (outside <= 0) return;
  if (std::abs(unit) > kLargestReward) {
    throw OutsideScaleError(fmt::format("reward {:g} of {} is far outside the scale {:g} to {:g}", reward,
                                        arm_label(arm_names, arm), scale_.minimum, scale_.maximum));
  }
  const double explained = farthest_ ? *farthest_ : kScaleErrors * sd_of(moments_[static_cast<std::size_t>(arm)]);
  if (outside > explained) {
    throw OutsideScaleError(
        fmt::format("reward {:g} of {} is further outside the scale {:g} to {:g} than noise explains", reward,
                    arm_label(arm_names, arm), scale_.minimum, scale_.maximum));
  }
}

void ScaleCheck::check_mean(Arm arm, double reward, const Moments& rewards,
                            const std::vector<std::string>& arm_names) const {
  const double outside =
      std::max(-rewards.sum, rewards.sum - rewards.count) - kScaleSlack * rewards.count;  // times count
  if (outside <= 0) return;  // without the costs of a division and a root
  if (outside > kScaleErrors * sd_of(rewards) * std::sqrt(rewards.count) + farthest_.value_or(0)) {
    throw OutsideScaleError(fmt::format(
        "with reward {:g} the rewards of {} average {:.4g}, outside the scale {:g} to {:g}", reward,
        arm_label(arm_names, arm), scale_.from_unit(rewards.sum / rewards.count), scale_.minimum, scale_.maximum));
  }
}

}  // namespace longrun
