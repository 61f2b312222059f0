// The optimum of the arena's random bandits and learning curves, which the regret of every policy is measured by.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "longrun/data/arena_bandits.h"
#include "longrun/data/learning_curves.h"
#include "longrun/simulate/optimum.h"

namespace longrun {
namespace {

/// Returns the bandit with at most `arms` arms and only every `stride`-th pull of each, so that a short horizon shows
/// its whole shape.
Bandit thinned(const Bandit& bandit, std::size_t arms, Pulls stride, Pulls horizon) {
  Bandit thin = bandit;
  thin.horizon = horizon;
  thin.arms.clear();
  thin.arm_names.resize(std::min(arms, bandit.arms.size()));
  for (std::size_t arm = 0; arm < thin.arm_names.size(); ++arm) {
    std::vector<double> rewards;
    for (Pulls pull = 0; pull < horizon; ++pull) rewards.push_back(bandit.arms[arm].reward(1 + pull * stride));
    thin.arms.push_back(Curve::from_rewards(rewards));
  }
  return thin;
}

/// Returns the largest total reward of `pulls` pulls of arm `arm` and those after it, over all ways to divide them.
double best_of_all(const Bandit& bandit, std::size_t arm, Pulls pulls) {
  if (arm + 1 == bandit.arms.size()) return bandit.arms[arm].cumulative(pulls);
  double best = 0;
  for (Pulls own = 0; own <= pulls; ++own) {
    best = std::max(best, bandit.arms[arm].cumulative(own) + best_of_all(bandit, arm + 1, pulls - own));
  }
  return best;
}

TEST(ArenaOptimum, IsTheBestOfAllAllocations) {
  constexpr Pulls kPulls = 40;
  for (const RandomFamily& family : kRandomFamilies) {
    for (std::uint64_t instance = 1; instance <= 12; ++instance) {
      for (const Pulls stride : {1, 25, 250}) {
        const Bandit bandit = thinned(random_bandit("r", family, instance), 4, stride, kPulls);
        const Allocation best = optimal_allocation(bandit, kPulls);
        EXPECT_NEAR(best.value, best_of_all(bandit, 0, kPulls), 1e-9) << family.name << ' ' << instance;
        EXPECT_NE(best.method, AllocationMethod::dynamic_program) << family.name << ": curves have a valley";
      }
    }
  }
}

TEST(ArenaOptimum, OfMeasuredCurvesIsTheBestOfAllAllocations) {
  constexpr Pulls kPulls = 40;
  for (const std::string& data : learning_data_sets()) {
    Bandit bandit = learning_curves_bandit("l", data);
    // A steady learner, an erratic one and two networks: not single-peaked, so the dynamic program is needed.
    bandit.arms = {bandit.arms[0], bandit.arms[2], bandit.arms[5], bandit.arms[7]};
    bandit.arm_names.resize(bandit.arms.size());
    for (const Pulls stride : {1, 12}) {
      const Bandit thin = thinned(bandit, 4, stride, kPulls);
      const Allocation best = optimal_allocation(thin, kPulls);
      EXPECT_NEAR(best.value, best_of_all(thin, 0, kPulls), 1e-9) << data;
      EXPECT_TRUE(stride > 1 || best.method == AllocationMethod::dynamic_program) << data;
    }
  }
}

TEST(ArenaOptimum, AtALongHorizonIsThatOfTheDynamicProgram) {
  constexpr Pulls kLong = 1000;
  for (const RandomFamily& family : kRandomFamilies) {
    for (std::uint64_t instance = 1; instance <= std::uint64_t{3}; ++instance) {
      const Bandit bandit = thinned(random_bandit("r", family, instance), 8, 10, kLong);
      const Allocation best = optimal_allocation(bandit, kLong);
      const Allocation reference = best_allocation_by_dynamic_program(known_arms(bandit, kLong));
      EXPECT_NEAR(best.value, reference.value, 1e-9) << family.name << ' ' << instance;
    }
  }
}

}  // namespace
}  // namespace longrun
