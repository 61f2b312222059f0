#pragma once

#include <span>
#include <vector>

#include "longrun/base/types.h"

namespace longrun {

/// Sums over successive rewards of an arm.
struct RewardBucket {
  Pulls count = 0;
  double sum = 0;
  double squares = 0;  ///< of the differences from their mean
  Pulls pulls = 0;     ///< count, and the pulls before each reward whose own reward is lost
  double places = 0;   ///< sum of the numbers of the pulls that gave the rewards, from 1 for the first of `pulls`

  double mean() const { return sum / static_cast<double>(count); }
  /// Returns the mean number of the pulls that gave the rewards, from 1 for the first of `pulls`.
  double centre() const { return places / static_cast<double>(count); }
  /// Adds rewards that came after these. The order matters only for `places`.
  RewardBucket& operator+=(const RewardBucket& later);

  template <class Visit>
  decltype(auto) visit_fields(Visit&& visit) {
    return visit(count, sum, squares, pulls, places);
  }
};

/// A summary of an arm's rewards in order: recent ones singly, older ones in sums over 2, 4, 8, ... of them (an
/// exponential histogram, Datar et al. 2002). The mean of the newest m rewards is known for an m within 1/16 of any.
/// O(1) per reward on average, O(log n) memory.
class RewardSummary {
 public:
  RewardSummary() = default;
  explicit RewardSummary(std::span<const double> rewards);

  /// Adds the reward of a pull that came after `lost` others whose rewards will never be known.
  void add(double reward, Pulls lost = 0);

  Pulls count() const { return all_.count; }
  /// Returns the pulls until the last reward, lost ones included.
  Pulls pulls() const { return all_.pulls; }
  const RewardBucket& all() const { return all_; }
  /// Returns an estimate of the noise's variance from differences of near rewards; 0 for fewer than two rewards.
  double noise_variance() const;
  /// Returns the buckets, oldest first.
  std::vector<RewardBucket> buckets() const;

  template <class Visit>
  decltype(auto) visit_fields(Visit&& visit) {
    return visit(all_, levels_);
  }

 private:
  static constexpr std::size_t kMostPerLevel = 17;

  RewardBucket all_;
  std::vector<std::vector<RewardBucket>> levels_;  // [s] has buckets of 2^s rewards, oldest first; those of s are newer
                                                   // than those of s + 1
};

/// The mean of an arm's newest rewards.
struct RewardNow {
  double mean = 0;
  double standard_error = 0;
  Pulls pulls = 1;  ///< number of rewards that it is the mean of
  double low = 0;   ///< the mean reward of these pulls is above `low` with a probability of 90 %, and below `high` with
  double high = 0;  ///< a probability of 90 %; within the scale, unless the mean is not
  double estimate = 0;  ///< of that mean reward: `mean`. In the report of an arm, `estimate`, `low` and `high` are
                        ///< those of PooledReward, within the scale
};

/// The noise of an arm's rewards.
struct ArmNoise {
  double sd = 0;
  bool yes_or_no = false;  ///< whether rewards are 0 or 1; then means of few of them are not nearly normal
};

/// Two ends of a range.
struct RateInterval {
  double low = 0;
  double high = 1;
};

/// Returns the interval of Wilson (1927) for a probability of which `rate` is the share in `count` >= 1 trials. It
/// holds for rare successes and for none. `quantile` is that of the standard normal distribution.
RateInterval rate_interval(double rate, double count, double quantile);

/// Returns the mean of the newest rewards, of at least one: of the longest run of newest rewards, at most about a
/// quarter of all, whose mean differs from that of every shorter run by no more than noise explains. Runs of yes/no
/// rewards may have as many as it takes to expect 5 of the rarer kind, and begin with these or with a quarter. Their
/// interval is that of Wilson (1927), which holds for few of them as well.
RewardNow reward_now(const RewardSummary& rewards, const ArmNoise& noise);

}  // namespace longrun
