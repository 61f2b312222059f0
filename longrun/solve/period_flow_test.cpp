#include "longrun/solve/period_flow.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace longrun {
namespace {

TEST(PeriodFlow, MovesUnitsOfOtherArmsToRaiseAnArm) {
  PeriodFlow flow({.units = {3, 2}, .available = {{true, true}, {true, false}}});
  EXPECT_EQ(flow.raise(0, 3), 3);
  EXPECT_EQ(flow.raise(1, 5), 2) << "arm 0 moves two of its units to the second period";
  EXPECT_EQ(flow.raise(0, 1), 0);
  EXPECT_EQ(flow.raise(1, 1), 0);
}

/// Returns the units of the periods in which any arm of `set` (one bit per arm) is available.
Pulls units_for(const Periods& periods, std::size_t set) {
  Pulls units = 0;
  for (std::size_t p = 0; p < periods.units.size(); ++p) {
    bool any = false;
    for (std::size_t arm = 0; arm < periods.available[p].size(); ++arm) {
      any = any || ((set >> arm & 1) != 0 && periods.available[p][arm]);
    }
    if (any) units += periods.units[p];
  }
  return units;
}

Pulls total(const std::vector<Pulls>& held, std::size_t set) {
  Pulls units = 0;
  for (std::size_t arm = 0; arm < held.size(); ++arm) units += (set >> arm & 1) != 0 ? held[arm] : 0;
  return units;
}

/// Returns how many units the arm can get in addition to those that all arms hold. By Hall's theorem that is the
/// smallest number, over all sets of arms that contain it, of units for the set less units that the set holds.
Pulls most_more(const Periods& periods, const std::vector<Pulls>& held, std::size_t arm) {
  Pulls smallest = 1'000'000;
  for (std::size_t set = 0; set < std::size_t{1} << held.size(); ++set) {
    if ((set >> arm & 1) != 0) smallest = std::min(smallest, units_for(periods, set) - total(held, set));
  }
  return smallest;
}

/// Returns whether the periods can give every arm the units that it holds (Hall).
bool possible(const Periods& periods, const std::vector<Pulls>& held) {
  for (std::size_t set = 1; set < std::size_t{1} << held.size(); ++set) {
    if (total(held, set) > units_for(periods, set)) return false;
  }
  return true;
}

Periods random_periods(std::mt19937& bits, std::size_t arms) {
  Periods periods;
  for (std::size_t period = 1 + bits() % 4; period > 0; --period) {
    periods.units.push_back(static_cast<Pulls>(bits() % 6));
    std::vector<bool> available(arms);
    for (std::size_t arm = 0; arm < arms; ++arm) available[arm] = bits() % 3 > 0;
    periods.available.push_back(available);
  }
  return periods;
}

TEST(PeriodFlow, RaisesAnArmAsFarAsHallsTheoremAllows) {
  std::mt19937 bits(1);
  for (int instance = 0; instance < 500; ++instance) {
    const std::size_t arms = 1 + bits() % 4;
    const Periods periods = random_periods(bits, arms);
    PeriodFlow flow(periods);
    std::vector<Pulls> held(arms, 0);
    for (int step = 0; step < 12; ++step) {
      const std::size_t arm = bits() % arms;
      const auto wanted = static_cast<Pulls>(bits() % 4);
      const Pulls expected = std::min(wanted, most_more(periods, held, arm));
      ASSERT_EQ(flow.raise(static_cast<Arm>(arm), wanted), expected) << "instance " << instance;
      held[arm] += expected;
    }
  }
}

TEST(PeriodFlow, FindsTheArmsThatCanFreeAUnitOfAPeriod) {
  std::mt19937 bits(2);
  int can = 0;
  int cannot = 0;
  for (int instance = 0; instance < 1000; ++instance) {
    const std::size_t arms = 1 + bits() % 4;
    const Periods periods = random_periods(bits, arms);
    PeriodFlow flow(periods);
    std::vector<Pulls> held;
    for (std::size_t arm = 0; arm < arms; ++arm) {
      held.push_back(flow.raise(static_cast<Arm>(arm), static_cast<Pulls>(bits() % 6)));
    }
    for (std::size_t period = 0; period < periods.units.size(); ++period) {
      if (periods.units[period] == 0) continue;
      Periods less = periods;
      --less.units[period];
      const std::vector<bool> found = flow.can_free_unit(period);
      for (std::size_t arm = 0; arm < arms; ++arm) {
        std::vector<Pulls> after = held;
        after[arm] = std::max<Pulls>(0, after[arm] - 1);
        ASSERT_EQ(found[arm], possible(less, after)) << "instance " << instance << ", arm " << arm;
        ++(found[arm] ? can : cannot);
      }
    }
  }
  EXPECT_GT(can, 500);
  EXPECT_GT(cannot, 100);
}

}  // namespace
}  // namespace longrun
