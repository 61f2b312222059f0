#include "longrun/solve/flow_allocation.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <random>
#include <string>

#include "longrun/base/input_error.h"
#include "longrun/base/random.h"
#include "tests/long_tests.h"

namespace longrun {
namespace {

struct FlowInstance {
  RewardTable rewards;
  std::vector<std::vector<double>> totals;  // running_totals() of each row of `rewards`
  std::vector<Pulls> least;
  Periods periods;
  Pulls horizon = 0;

  KnownArms known() const {
    return {.arms = static_cast<Arm>(rewards.size()), .horizon = horizon, .reward = [this](Arm arm, Pulls pull) {
              return rewards[static_cast<std::size_t>(arm)][static_cast<std::size_t>(pull - 1)];
            }};
  }
  /// Returns whether no set of arms has more pulls than the periods in which any of them is available (Hall).
  bool possible(const std::vector<Pulls>& pulls) const {
    for (std::size_t arms = 1; arms < std::size_t{1} << pulls.size(); ++arms) {
      Pulls wanted = 0;
      for (std::size_t arm = 0; arm < pulls.size(); ++arm) wanted += (arms >> arm & 1) != 0 ? pulls[arm] : 0;
      Pulls units = 0;
      for (std::size_t p = 0; p < periods.units.size(); ++p) {
        bool any = false;
        for (std::size_t arm = 0; arm < pulls.size(); ++arm)
          any = any || ((arms >> arm & 1) != 0 && periods.available[p][arm]);
        if (any) units += periods.units[p];
      }
      if (wanted > units) return false;
    }
    return true;
  }
  double value(const std::vector<Pulls>& pulls) const {
    double total = 0;
    for (std::size_t arm = 0; arm < pulls.size(); ++arm) total += totals[arm][static_cast<std::size_t>(pulls[arm])];
    return total;
  }
};

double best_flow_of_all(const FlowInstance& instance, std::vector<Pulls>& pulls, std::size_t arm = 0) {
  if (arm == pulls.size()) return instance.possible(pulls) ? instance.value(pulls) : -1;
  double best = -1;
  for (pulls[arm] = instance.least[arm]; pulls[arm] <= instance.horizon; ++pulls[arm]) {
    best = std::max(best, best_flow_of_all(instance, pulls, arm + 1));
  }
  pulls[arm] = 0;
  return best;
}

FlowInstance random_flow(std::mt19937_64& bits) {
  const auto from = [&](Pulls low, Pulls high) {
    return low + static_cast<Pulls>(bits() % static_cast<std::uint64_t>(high - low + 1));
  };
  FlowInstance instance;
  const auto arms = static_cast<std::size_t>(from(1, 4));
  for (Pulls p = from(1, 4); p > 0; --p) {
    std::vector<bool> available(arms);
    for (std::size_t arm = 0; arm < arms; ++arm) available[arm] = from(0, 2) > 0;
    available[static_cast<std::size_t>(from(0, static_cast<Pulls>(arms) - 1))] = true;
    instance.periods.available.push_back(available);
    instance.periods.units.push_back(from(1, 4));
    instance.horizon += instance.periods.units.back();
  }
  const Pulls kind = from(0, 2);  // any, single-peaked, or rising, which is hardest
  for (std::size_t arm = 0; arm < arms; ++arm) {
    std::vector<double> curve(static_cast<std::size_t>(instance.horizon));
    for (double& reward : curve) reward = unit_interval(bits());
    const auto peak = curve.begin() + (kind == 2 ? instance.horizon : from(0, instance.horizon));
    if (kind > 0) std::sort(curve.begin(), peak);
    if (kind > 0) std::sort(peak, curve.end(), std::greater<>());
    instance.totals.push_back(running_totals(curve));
    instance.rewards.push_back(std::move(curve));
    instance.least.push_back(from(0, 5) == 0 ? 1 : 0);
  }
  return instance;
}

TEST(FlowAllocation, IsTheBestOfAllCounts) {
  std::mt19937_64 bits(1);
  int branched = 0;
  for (int number = 0; number < 3000 / sanitizer_slowdown(); ++number) {
    const FlowInstance instance = random_flow(bits);
    std::vector<Pulls> none(instance.rewards.size(), 0);
    const double best = best_flow_of_all(instance, none);
    if (best < 0) {
      EXPECT_THROW(flow_allocation(instance.known(), instance.least, instance.periods), InputError);
      continue;
    }
    const Allocation found = flow_allocation(instance.known(), instance.least, instance.periods);
    ASSERT_NEAR(found.value, best, 1e-10) << "instance " << number;
    ASSERT_TRUE(instance.possible(found.pulls)) << "instance " << number;
    ASSERT_NEAR(found.value, instance.value(found.pulls), 1e-13);
    if (found.method == AllocationMethod::branch_and_bound) ++branched;
  }
  EXPECT_GT(branched, 500 / sanitizer_slowdown());
}

TEST(FlowAllocation, RefusesAProblemThatTakesTooManySteps) {
  const std::size_t count = 3000;
  const KnownArms known{.arms = 2, .horizon = 4'200'000, .reward = [](Arm arm, Pulls) { return arm == 0 ? 0.5 : 0.2; }};
  Periods periods{.units = std::vector<Pulls>(count, 1400), .available = {}};
  for (std::size_t p = 0; p < count; ++p) periods.available.push_back({p % 2 == 0, true});
  try {
    flow_allocation(known, {0, 0}, periods);
    FAIL() << "no InputError";
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("2 arms with horizon 4200000"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace longrun
