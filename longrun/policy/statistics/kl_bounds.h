#pragma once

#include <cstddef>
#include <limits>
#include <vector>

#include "longrun/base/types.h"

namespace longrun {

/// The upper confidence bounds of KL-UCB for the means of arms with rewards in [0, 1]. With n rewards of an arm and
/// their mean m, the bound is the largest q with n kl(m, q) <= exploration, where kl is bernoulli_divergence(). It is
/// valid for all rewards in [0, 1], and the tightest possible for rewards of 0 or 1. Rewards outside [0, 1] count as
/// the nearer end. Bounds are stored minus 1: after few rewards many are so close to 1 that they would round to it.
///
/// A bound takes a few logarithms. It is a concave function of the exploration, so its tangent at an earlier
/// exploration is never below it and takes one multiplication: at_most(). O(1) memory per arm.
class KlBounds {
 public:
  explicit KlBounds(Arm arms) : samples_(static_cast<std::size_t>(arms)), tangents_(samples_.size()) {}

  void add(Arm arm, double reward);
  /// Removes the rewards of an arm.
  void clear(Arm arm);
  void add_arm();

  /// Returns the bound, minus 1, of an arm with a reward, and stores its tangent.
  double bound(Arm arm, double exploration);
  /// Returns a number that is not below bound(). Requires an exploration that is not below any since the last reward.
  double at_most(Arm arm, double exploration) const {
    const Tangent& tangent = tangents_[static_cast<std::size_t>(arm)];
    return tangent.bound + tangent.slope * (exploration - tangent.exploration);
  }

  /// Returns the arm with the largest bound, lowest arm on ties, of those with a reward; there must be one.
  /// `exploration(arm)` is that of an arm. Bounds are computed only of arms whose tangents are not below the largest.
  template <class Exploration>
  Arm best(Exploration exploration) {
    const auto arms = static_cast<Arm>(samples_.size());
    Arm best = -1;
    double largest = 0;  // first of the tangents, then of the bounds
    for (Arm arm = 0; arm < arms; ++arm) {
      if (samples_[static_cast<std::size_t>(arm)].rewards == 0) continue;
      const double tangent = at_most(arm, exploration(arm));
      if (best >= 0 && tangent <= largest) continue;
      largest = tangent;
      best = arm;
    }
    const Arm first = best;
    largest = bound(first, exploration(first));
    for (Arm arm = 0; arm < arms; ++arm) {
      if (arm == first || samples_[static_cast<std::size_t>(arm)].rewards == 0) continue;
      if (at_most(arm, exploration(arm)) < largest) continue;
      const double index = bound(arm, exploration(arm));
      if (index < largest || (index == largest && best < arm)) continue;
      largest = index;
      best = arm;
    }
    return best;
  }

  template <class Visit>
  decltype(auto) visit_fields(Visit&& visit) {
    return visit(samples_);
  }
  void after_load() { tangents_.assign(samples_.size(), {}); }

 private:
  struct Sample {
    Pulls rewards = 0;
    double sum = 0;

    template <class Visit>
    decltype(auto) visit_fields(Visit&& visit) {
      return visit(rewards, sum);
    }
  };
  /// The tangent of the bound at an exploration, slightly raised because of rounding.
  struct Tangent {
    double exploration = 0;
    double bound = std::numeric_limits<double>::infinity();
    double slope = 0;
  };

  std::vector<Sample> samples_;    // by arm
  std::vector<Tangent> tangents_;  // by arm, of the latest bound; infinite if there is none since the last reward
};

}  // namespace longrun
