#include "longrun/decide/reward_scale.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "longrun/base/input_error.h"

namespace longrun {
namespace {

// All in units of the scale's range, except kNoiseErrors.
constexpr double kLargestReward = 1000;  // limit for |reward| and for the noise's standard deviation
constexpr double kSlack = 0.05;          // distance from the scale that is never an error
constexpr double kNoiseErrors = 4;       // further distance that noise explains
constexpr double kSmallestSd = 0.25;     // a few rewards may be equal by chance, so a small estimate is not trusted
constexpr double kLargestSd = 1;         // rewards on a scale of thousands differ by more than any plausible noise

}  // namespace

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
  const std::string& name = arm_names[static_cast<std::size_t>(arm)];
  return name.empty() ? fmt::format("arm {}", arm) : fmt::format("arm {} ({})", arm, name);
}

ScaleCheck::ScaleCheck(const RewardScale& scale, const std::optional<Noise>& noise, Arm arms)
    : scale_(scale), moments_(static_cast<std::size_t>(arms)) {
  if (noise) sd_ = standard_deviation(*noise);
}

double ScaleCheck::sd_of(const Moments& rewards) const {
  if (sd_) return *sd_;
  if (rewards.count == 0) return kSmallestSd;
  const double mean = rewards.sum.value() / rewards.count;
  const double variance = std::max(0.0, rewards.squares.value() / rewards.count - mean * mean);
  return std::clamp(std::sqrt(variance), kSmallestSd, kLargestSd);
}

void ScaleCheck::add(Arm arm, double reward, const std::vector<std::string>& arm_names, bool enforced) {
  if (!std::isfinite(reward)) {
    throw InputError(fmt::format("reward {} of {} is not a finite number", reward, arm_label(arm_names, arm)));
  }
  const double unit = scale_.to_unit(reward);
  if (enforced && std::abs(unit) > kLargestReward) {
    throw InputError(fmt::format(
        "reward {:g} of {} is far outside the scale {:g} to {:g}; set the scale to the range of the rewards", reward,
        arm_label(arm_names, arm), scale_.minimum, scale_.maximum));
  }
  Moments& moments = moments_[static_cast<std::size_t>(arm)];
  if (enforced && std::max(-unit, unit - 1) > kSlack + kNoiseErrors * sd_of(moments)) {
    throw InputError(
        fmt::format("reward {:g} of {} is further outside the scale {:g} to {:g} than noise explains; set the scale to "
                    "the range of "
                    "the rewards",
                    reward, arm_label(arm_names, arm), scale_.minimum, scale_.maximum));
  }
  Moments with = moments;
  with.sum.add(unit);
  with.squares.add(unit * unit);
  with.count += 1;
  const double mean = with.sum.value() / with.count;
  if (enforced && std::max(-mean, mean - 1) > kSlack + kNoiseErrors * sd_of(with) / std::sqrt(with.count)) {
    throw InputError(
        fmt::format("with reward {:g} the rewards of {} average {:.4g}, outside the scale {:g} to {:g}; "
                    "set the scale to the range of the rewards",
                    reward, arm_label(arm_names, arm), scale_.from_unit(mean), scale_.minimum, scale_.maximum));
  }
  moments = with;
}

}  // namespace longrun
