#include "longrun/policy/statistics/change_detector.h"

#include <algorithm>
#include <cmath>

#include "longrun/policy/statistics/bernoulli_divergence.h"

namespace longrun {

void ChangeDetector::add(double reward) {
  ++count_;
  sum_ += std::clamp(reward, 0.0, 1.0);
  for (std::size_t exponent = 0; count_ % (Pulls{1} << exponent) == 0; ++exponent) {
    if (exponent == scales_.size()) scales_.push_back({.first = sum_});  // count_ is this power of 2
    auto& latest = scales_[exponent].latest;
    std::shift_right(latest.begin(), latest.end(), 1);
    latest[0] = sum_;
  }
  if (2 * count_ == Pulls{3} << (scales_.size() - 1)) scales_.back().middle = sum_;
}

bool ChangeDetector::has_changed(double delta) const {
  const auto count = static_cast<double>(count_);
  const double mean = sum_ / count;
  const double variance = mean * (1 - mean);
  if (!(variance > 0)) return false;  // all rewards are 0, or all are 1
  const double threshold = std::log(3 * count * std::sqrt(count) / delta);
  const auto differs = [&](Pulls split, double sum) {
    if (split <= 0 || split >= count_) return false;
    const auto before = static_cast<double>(split);
    const double after = count - before;
    const double first_mean = std::min(1.0, sum / before);
    const double second_mean = std::clamp((sum_ - sum) / after, 0.0, 1.0);
    // A divergence kl(p, q) is at most (p - q)^2 / (q (1 - q)). This is cheap, and nearly always small enough.
    constexpr double kRoundingFactor = 1 + 1e-9;
    const double difference = first_mean - second_mean;
    if (kRoundingFactor * before * after * difference * difference < threshold * count * variance) return false;
    const double ratio =
        before * bernoulli_divergence(first_mean, mean) + after * bernoulli_divergence(second_mean, mean);
    return ratio >= threshold;
  };
  for (std::size_t exponent = 0; exponent < scales_.size(); ++exponent) {
    const Pulls power = Pulls{1} << exponent;
    const Scale& scale = scales_[exponent];
    if (differs(power, scale.first)) return true;
    if (exponent > 0 && differs(power + power / 2, scale.middle)) return true;
    Pulls multiple = count_ / power * power;
    for (const double sum : scale.latest) {
      if (differs(multiple, sum)) return true;
      multiple -= power;
    }
  }
  return false;
}

}  // namespace longrun
