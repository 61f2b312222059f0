#include "longrun/solve/constrained_allocation.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <random>
#include <string>

#include "longrun/base/input_error.h"
#include "longrun/base/random.h"
#include "tests/long_tests.h"

namespace longrun {
namespace {

struct LimitedInstance {
  RewardTable rewards;
  AllocationLimits limits;
  Pulls horizon = 0;

  KnownArms known() const {
    return {.arms = static_cast<Arm>(rewards.size()), .horizon = horizon, .reward = [this](Arm arm, Pulls pull) {
              return rewards[static_cast<std::size_t>(arm)][static_cast<std::size_t>(pull - 1)];
            }};
  }
  bool possible(const std::vector<Pulls>& pulls) const {
    for (std::size_t i = 0; i < pulls.size(); ++i) {
      Pulls spent = 0;
      for (std::size_t j = 0; j < pulls.size(); ++j) {
        if (limits.until[j] <= limits.until[i]) spent += limits.costs[j] * pulls[j];
      }
      if (pulls[i] < limits.least[i] || spent > limits.until[i]) return false;
    }
    return true;
  }
  double value(const std::vector<Pulls>& pulls) const {
    double total = 0;
    for (std::size_t arm = 0; arm < pulls.size(); ++arm)
      total += running_totals(rewards[arm])[static_cast<std::size_t>(pulls[arm])];
    return total;
  }
};

/// Returns the largest value of all possible counts; less than 0 if none is possible.
double best_limited_of_all(const LimitedInstance& instance, std::vector<Pulls>& pulls, std::size_t arm = 0) {
  if (arm == pulls.size()) return instance.possible(pulls) ? instance.value(pulls) : -1;
  double best = -1;
  for (pulls[arm] = 0; pulls[arm] <= instance.horizon; ++pulls[arm]) {
    best = std::max(best, best_limited_of_all(instance, pulls, arm + 1));
  }
  pulls[arm] = 0;
  return best;
}

LimitedInstance random_limited(std::mt19937_64& bits, bool same_cost) {
  const auto from = [&](Pulls low, Pulls high) {
    return low + static_cast<Pulls>(bits() % static_cast<std::uint64_t>(high - low + 1));
  };
  LimitedInstance instance;
  instance.horizon = from(1, 11);
  const auto arms = static_cast<std::size_t>(from(1, 3));
  const bool early_ends = from(0, 1) == 1;
  const bool peaked = from(0, 1) == 1;
  const Pulls cost = from(1, 2);
  for (std::size_t arm = 0; arm < arms; ++arm) {
    std::vector<double> curve(static_cast<std::size_t>(instance.horizon));
    for (double& reward : curve) reward = unit_interval(bits());
    const auto peak = curve.begin() + from(0, instance.horizon);
    if (peaked) std::sort(curve.begin(), peak);
    if (peaked) std::sort(peak, curve.end(), std::greater<>());
    instance.rewards.push_back(std::move(curve));
    instance.limits.costs.push_back(same_cost ? cost : from(1, 4));
    instance.limits.least.push_back(from(0, 4) == 0 ? from(1, 3) : 0);
    instance.limits.until.push_back(early_ends ? from(0, instance.horizon) : instance.horizon);
  }
  return instance;
}

TEST(ConstrainedAllocation, IsTheBestOfAllCounts) {
  std::mt19937_64 bits(1);
  int solved = 0;
  int by_shape = 0;
  for (int number = 0; number < 3000; ++number) {
    const LimitedInstance instance = random_limited(bits, number % 2 == 0);
    std::vector<Pulls> none(instance.rewards.size(), 0);
    const double best = best_limited_of_all(instance, none);
    if (best < 0) {
      EXPECT_THROW(constrained_allocation_by_dynamic_program(instance.known(), instance.limits), InputError);
      continue;
    }
    ++solved;
    for (const Allocation& found : {constrained_allocation(instance.known(), instance.limits),
                                    constrained_allocation_by_dynamic_program(instance.known(), instance.limits)}) {
      ASSERT_NEAR(found.value, best, 1e-12) << "instance " << number;
      ASSERT_TRUE(instance.possible(found.pulls)) << "instance " << number;
      ASSERT_NEAR(found.value, instance.value(found.pulls), 1e-13);
      ASSERT_EQ(found.horizon, instance.horizon);
      if (found.method != AllocationMethod::dynamic_program) ++by_shape;
    }
  }
  EXPECT_GT(solved, 1500);
  EXPECT_GT(by_shape, 300);
}

KnownArms two_long_arms(Pulls horizon) {
  return {.arms = 2, .horizon = horizon, .reward = [](Arm arm, Pulls pull) {
            return arm == 0 ? 1 - 1 / std::sqrt(static_cast<double>(pull)) : 0.3;
          }};
}

TEST(ConstrainedAllocation, MinimaAloneAreAsFastAsNoConstraints) {
  const Pulls minimum = 1'000'000 / sanitizer_slowdown();
  const Pulls horizon = 5 * minimum;
  const Allocation best = constrained_allocation(two_long_arms(horizon),
                                                 {.costs = {1, 1}, .least = {0, minimum}, .until = {horizon, horizon}});
  EXPECT_EQ(best.pulls, (std::vector<Pulls>{4 * minimum, minimum}));
  EXPECT_EQ(best.method, AllocationMethod::rising);
}

TEST(ConstrainedAllocation, EqualCostsAreSolvedInLargerUnits) {
  const Allocation best = constrained_allocation(two_long_arms(3'000'001),
                                                 {.costs = {3, 3}, .least = {0, 10}, .until = {3'000'001, 3'000'001}});
  EXPECT_EQ(best.pulls, (std::vector<Pulls>{999'990, 10}));
  EXPECT_EQ(best.horizon, 3'000'001);
}

TEST(ConstrainedAllocation, RefusesAProblemThatTakesTooManySteps) {
  try {
    constrained_allocation(two_long_arms(50'000'000),
                           {.costs = {2, 3}, .least = {0, 0}, .until = {50'000'000, 50'000'000}});
    FAIL() << "no InputError";
  } catch (const InputError& error) {
    for (const char* part : {"2 arms", "50000000", "steps", "shorten the horizon to about"}) {
      EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
    }
  }
}

}  // namespace
}  // namespace longrun
