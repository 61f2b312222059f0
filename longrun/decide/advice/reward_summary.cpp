#include "longrun/decide/advice/reward_summary.h"

#include <algorithm>
#include <cmath>

namespace longrun {
namespace {

constexpr double kRecent = 0.25;           // share of an arm's rewards that reward_now() uses at most; see kRarer
constexpr double kSameStandardErrors = 3;  // difference of two means that noise explains, in standard errors
constexpr double kRarer = 5;               // expected yes/no rewards of the rarer kind that a run may have in any case
constexpr double kQuantile = 1.2815516;    // 90 % of the standard normal distribution

/// Returns the mean with its interval.
RewardNow with_interval(RewardNow now, bool yes_or_no) {
  const auto count = static_cast<double>(now.pulls);
  now.estimate = now.mean;
  if (yes_or_no) {
    const RateInterval interval = rate_interval(now.mean, count, kQuantile);
    now.low = interval.low;
    now.high = interval.high;
  } else {
    now.low = std::max(now.mean - kQuantile * now.standard_error, std::min(0.0, now.mean));
    now.high = std::min(now.mean + kQuantile * now.standard_error, std::max(1.0, now.mean));
  }
  return now;
}

}  // namespace

RateInterval rate_interval(double rate, double count, double quantile) {
  rate = std::clamp(rate, 0.0, 1.0);  // rounding can put a mean of equal rewards just above 1
  const double squared = quantile * quantile;
  const double centre = (count * rate + squared / 2) / (count + squared);
  const double half = quantile * std::sqrt(count * rate * (1 - rate) + squared / 4) / (count + squared);
  return {.low = std::clamp(centre - half, 0.0, rate), .high = std::clamp(centre + half, rate, 1.0)};
}

RewardBucket& RewardBucket::operator+=(const RewardBucket& later) {
  if (count > 0 && later.count > 0) {
    const double difference = later.mean() - mean();
    squares += difference * difference * static_cast<double>(count) * static_cast<double>(later.count) /
               static_cast<double>(count + later.count);
  }
  places += later.places + static_cast<double>(pulls) * static_cast<double>(later.count);
  count += later.count;
  sum += later.sum;
  squares += later.squares;
  pulls += later.pulls;
  return *this;
}

RewardSummary::RewardSummary(std::span<const double> rewards) {
  for (const double reward : rewards) add(reward);
}

void RewardSummary::add(double reward, Pulls lost) {
  RewardBucket bucket{
      .count = 1, .sum = reward, .squares = 0, .pulls = lost + 1, .places = static_cast<double>(lost + 1)};
  all_ += bucket;
  for (std::size_t level = 0;; ++level) {
    if (level == levels_.size()) levels_.emplace_back();
    std::vector<RewardBucket>& buckets = levels_[level];
    buckets.push_back(bucket);
    if (buckets.size() <= kMostPerLevel) return;
    bucket = buckets[0];
    bucket += buckets[1];
    buckets.erase(buckets.begin(), buckets.begin() + 2);
  }
}

std::vector<RewardBucket> RewardSummary::buckets() const {
  std::vector<RewardBucket> result;
  for (auto level = levels_.rbegin(); level != levels_.rend(); ++level) {  // NOLINT(modernize-loop-convert): reverse
    result.insert(result.end(), level->begin(), level->end());
  }
  return result;
}

double RewardSummary::noise_variance() const {
  double sum = 0;
  double terms = 0;
  const std::vector<RewardBucket> all = buckets();
  for (std::size_t i = 0; i < all.size(); ++i) {
    sum += all[i].squares;
    terms += static_cast<double>(all[i].count - 1);
    if (i == 0 || all[i].count > 1 || all[i - 1].count > 1) continue;
    const double difference = all[i].sum - all[i - 1].sum;
    sum += difference * difference / 2;
    terms += 1;
  }
  return terms > 0 ? sum / terms : 0;
}

RewardNow reward_now(const RewardSummary& rewards, const ArmNoise& noise) {
  const auto all = static_cast<double>(rewards.count());
  const double recent = std::max(1.0, kRecent * all);
  const double rarer = noise.yes_or_no ? kRarer / (noise.sd * noise.sd) : 1;
  const double fewest = std::min(recent, rarer);
  const double most = std::max(recent, std::min(all, rarer));
  const std::vector<RewardBucket> buckets = rewards.buckets();
  std::vector<RewardNow> shorter;  // runs that agree, each about twice as long as the one before
  RewardBucket run;
  for (std::size_t i = buckets.size(); i-- > 0;) {
    run += buckets[i];
    const auto count = static_cast<double>(run.count);
    if (count > most && !shorter.empty()) break;
    const bool last = i == 0 || count + static_cast<double>(buckets[i - 1].count) > most;
    const auto shortest = shorter.empty() ? fewest : 2 * static_cast<double>(shorter.back().pulls);
    if (count < shortest && !last) continue;
    const RewardNow longer{.mean = run.mean(), .standard_error = noise.sd / std::sqrt(count), .pulls = run.count};
    const bool same = std::all_of(shorter.begin(), shorter.end(), [&](const RewardNow& part) {
      // The shorter run is a part of the longer one, so the variance of their difference is that of the difference.
      const double error = std::sqrt(
          std::max(0.0, part.standard_error * part.standard_error - longer.standard_error * longer.standard_error));
      return std::abs(part.mean - longer.mean) <= kSameStandardErrors * error;
    });
    if (!same) break;
    shorter.push_back(longer);
  }
  return with_interval(shorter.back(), noise.yes_or_no);
}

}  // namespace longrun
