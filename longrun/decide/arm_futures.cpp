#include "longrun/decide/arm_futures.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "longrun/decide/arm_report.h"
#include "longrun/model/noise.h"
namespace longrun {
FutureCurve ArmFutures::draw(const StreamKey& key) const {
  std::array<double, 1> x{mean_};
  add_noise(Gaussian{error_}, key, 1, x);
  return FutureCurve(std::clamp(x[0], 0.0, 1.0));
}
std::vector<ArmFutures> futures_of(const Question& question) {
  std::vector<std::vector<double>> rewards(static_cast<std::size_t>(question.history.arms()));
  for (const auto& [arm, reward] : question.history.pulls)
    rewards[static_cast<std::size_t>(arm)].push_back(question.scale.to_unit(reward));
  const double sd = question.noise ? standard_deviation(*question.noise) : estimated_sd(question);
  std::vector<ArmFutures> futures;
  for (const auto& r : rewards) {
    if (r.empty()) {
      futures.emplace_back(0.5, 0.3);
      continue;
    }
    const RewardNow now = reward_now(r, sd);
    futures.emplace_back(now.mean, now.standard_error);
  }
  return futures;
}
}  // namespace longrun
