#pragma once

#include <cmath>
#include <vector>

#include "longrun/base/types.h"
#include "longrun/policy/foresight/foresight_tuning.h"

namespace longrun {

/// An estimate of the noise's standard deviation from the rewards of all arms. The second difference
/// y(n) - 2 y(n-1) + y(n-2) of an arm's rewards has six times the variance of one reward where the curve is straight;
/// where the curve bends, the estimate is slightly too large. Before the first second difference the estimate is
/// ForesightTuning::sd_guess. O(1) per reward, O(arms) memory.
class NoiseScale {
 public:
  explicit NoiseScale(Arm arms) : last_(static_cast<std::size_t>(arms)) {}

  void add(Arm arm, double reward) {
    LastRewards& last = last_[static_cast<std::size_t>(arm)];
    if (last.count >= 2) {
      const double difference = reward - 2 * last.newest + last.previous;
      variances_ += difference * difference / 6;
      differences_ += 1;
    }
    last = {reward, last.newest, last.count + 1};
  }
  /// Returns the estimate. It is above 0 after any rewards, because the guess keeps its weight.
  double sd() const { return std::sqrt(variances_ / differences_); }

  void add_arm() { last_.emplace_back(); }

  template <class Visit>
  decltype(auto) visit_fields(Visit&& visit) {
    return visit(last_, variances_, differences_);
  }

 private:
  struct LastRewards {
    double newest = 0;
    double previous = 0;  // the one before the newest
    Pulls count = 0;      // rewards added so far

    template <class Visit>
    decltype(auto) visit_fields(Visit&& visit) {
      return visit(newest, previous, count);
    }
  };
  std::vector<LastRewards> last_;  // by arm
  // The sum of the variance estimates of all second differences and of the guess, and the number of summands.
  double variances_ = kForesightTuning.sd_guess_weight * kForesightTuning.sd_guess * kForesightTuning.sd_guess;
  double differences_ = kForesightTuning.sd_guess_weight;
};

}  // namespace longrun
