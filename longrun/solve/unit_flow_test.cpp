#include "longrun/solve/unit_flow.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace longrun {
namespace {

TEST(UnitFlow, GivesWhatItCanByMovingWhatOthersHave) {
  UnitFlow flow({3, 2}, {{true, true}, {true, false}});
  EXPECT_EQ(flow.raise(0, 3), 3);
  EXPECT_EQ(flow.raise(1, 5), 2) << "arm 0 moves two of its units to the second period";
  EXPECT_EQ(flow.raise(0, 1), 0);
  EXPECT_EQ(flow.raise(1, 1), 0);
}

/// By Hall: what an arm can have beside what the others have is the least, over all sets of arms that it is in, of what
/// the periods have in which any of the set is there, less what the others of the set have.
Pulls most(const std::vector<Pulls>& capacities, const std::vector<std::vector<bool>>& there,
           const std::vector<Pulls>& have, std::size_t arm) {
  Pulls least = 1'000'000;
  for (std::size_t set = 0; set < std::size_t{1} << have.size(); ++set) {
    if ((set >> arm & 1) == 0) continue;
    Pulls units = 0;
    for (std::size_t p = 0; p < capacities.size(); ++p) {
      bool any = false;
      for (std::size_t i = 0; i < have.size(); ++i) any = any || ((set >> i & 1) != 0 && there[p][i]);
      if (any) units += capacities[p];
    }
    for (std::size_t i = 0; i < have.size(); ++i) units -= (set >> i & 1) != 0 ? have[i] : 0;
    least = std::min(least, units);
  }
  return least;
}

TEST(UnitFlow, GivesAsMuchAsHallAllows) {
  std::mt19937 bits(1);
  for (int instance = 0; instance < 500; ++instance) {
    const std::size_t arms = 1 + bits() % 4;
    std::vector<Pulls> capacities(1 + bits() % 4);
    for (Pulls& capacity : capacities) capacity = static_cast<Pulls>(bits() % 6);
    std::vector<std::vector<bool>> there(capacities.size(), std::vector<bool>(arms));
    for (auto& period : there) {
      for (std::size_t arm = 0; arm < arms; ++arm) period[arm] = bits() % 3 > 0;
    }
    UnitFlow flow(capacities, there);
    std::vector<Pulls> have(arms, 0);
    for (int step = 0; step < 12; ++step) {
      const std::size_t arm = bits() % arms;
      const auto wanted = static_cast<Pulls>(bits() % 4);
      const Pulls expected = std::min(wanted, most(capacities, there, have, arm));
      ASSERT_EQ(flow.raise(static_cast<Arm>(arm), wanted), expected) << "instance " << instance;
      have[arm] += expected;
    }
  }
}

}  // namespace
}  // namespace longrun
