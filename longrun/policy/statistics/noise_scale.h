#pragma once

#include <cmath>
#include <vector>

#include "longrun/base/types.h"

namespace longrun {

/// The noise's standard deviation, from the rewards of all arms together: y(n) - 2 y(n-1) + y(n-2) has six times the
/// variance of one reward wherever a curve is straight, and only where it bends is a little of the curve taken for
/// noise. Before any such difference the guess is 0.1, which then counts as much as one.
class NoiseScale {
 public:
  explicit NoiseScale(Arm arms) : last_(static_cast<std::size_t>(arms)) {}

  void add(Arm arm, double reward) {
    Last& last = last_[static_cast<std::size_t>(arm)];
    if (last.rewards >= 2) {
      const double bend = reward - 2 * last.one + last.two;
      variances_ += bend * bend / 6;
      differences_ += 1;
    }
    last = {reward, last.one, last.rewards + 1};
  }
  double sd() const { return std::sqrt(variances_ / differences_); }

 private:
  struct Last {
    double one = 0;  // the last reward
    double two = 0;  // the one before
    Pulls rewards = 0;
  };
  std::vector<Last> last_;
  double variances_ = 0.1 * 0.1;
  double differences_ = 1;
};

}  // namespace longrun
