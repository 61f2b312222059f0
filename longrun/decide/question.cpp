#include "longrun/decide/question.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "longrun/base/input_error.h"
#include "longrun/base/running_sum.h"

namespace longrun {
namespace {

// In units of the scale's range, except kStandardErrors.
constexpr double kLargestReward = 1000;  ///< limit for |reward| and for the noise's standard deviation
constexpr double kSlack = 0.05;          ///< distance of a mean from the scale that is never an error
constexpr double kStandardErrors = 4;    ///< standard errors of the mean that are added to kSlack under noise
constexpr double kSmallestSd = 0.25;     ///< a few rewards may be equal by chance, so a small estimate is not trusted
constexpr double kLargestSd = 1;         ///< rewards on a scale of thousands differ by more than any plausible noise

/// Count, mean and variance of one arm's rewards on the scale from 0 to 1.
struct Moments {
  RunningSum sum;
  RunningSum squares;
  double count = 0;

  void add(double reward) {
    sum.add(reward);
    squares.add(reward * reward);
    count += 1;
  }
  double mean() const { return sum.value() / count; }
  double variance() const { return std::max(0.0, squares.value() / count - mean() * mean()); }
};

/// Returns how far outside the scale the mean of an arm's rewards may lie for noise to be the reason.
double tolerance(const std::optional<Noise>& noise, const Moments& rewards) {
  const double sd =
      noise ? standard_deviation(*noise) : std::clamp(std::sqrt(rewards.variance()), kSmallestSd, kLargestSd);
  return kSlack + kStandardErrors * sd / std::sqrt(rewards.count);
}

void check_scale_and_noise(const Question& question) {
  const RewardScale& scale = question.scale;
  if (!std::isfinite(scale.range()) || !(scale.range() > 0)) {
    throw InputError(fmt::format("scale {:g}:{:g}: must be two finite numbers, the first smaller than the second",
                                 scale.minimum, scale.maximum));
  }
  if (question.noise && !(standard_deviation(*question.noise) <= kLargestReward)) {
    throw InputError(
        fmt::format("the noise's standard deviation is {:g} times the range of rewards; at most {:g} is accepted",
                    standard_deviation(*question.noise), kLargestReward));
  }
}

}  // namespace

std::string label(const History& history, Arm arm) {
  const std::string& name = history.arm_names[static_cast<std::size_t>(arm)];
  return name.empty() ? fmt::format("arm {}", arm) : fmt::format("arm {} ({})", arm, name);
}

void check_rewards(const Question& question) {
  check_scale_and_noise(question);
  const RewardScale& scale = question.scale;
  const History& history = question.history;
  std::vector<Moments> moments(history.arm_names.size());
  for (const auto& [arm, reward] : history.pulls) {
    if (arm < 0 || arm >= history.arms()) {
      throw InputError(fmt::format("arm {} is not one of 0..{}", arm, history.arms() - 1));
    }
    if (!std::isfinite(reward)) {
      throw InputError(fmt::format("reward {} of {} is not a finite number", reward, label(history, arm)));
    }
    if (std::abs(scale.to_unit(reward)) > kLargestReward) {
      throw InputError(fmt::format(
          "reward {:g} of {} is far outside the scale {:g} to {:g}; set the scale to the range of the rewards", reward,
          label(history, arm), scale.minimum, scale.maximum));
    }
    moments[static_cast<std::size_t>(arm)].add(scale.to_unit(reward));
  }
  for (Arm arm = 0; arm < history.arms(); ++arm) {
    const Moments& rewards = moments[static_cast<std::size_t>(arm)];
    if (rewards.count == 0) continue;
    const double mean = rewards.mean();
    if (std::max(-mean, mean - 1) <= tolerance(question.noise, rewards)) continue;
    throw InputError(fmt::format(
        "the rewards of {} average {:.4g}, outside the scale {:g} to {:g}; set the scale to the range of the rewards",
        label(history, arm), scale.from_unit(mean), scale.minimum, scale.maximum));
  }
}

}  // namespace longrun
