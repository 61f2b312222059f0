#include "longrun/solve/feasibility.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <tuple>
#include <vector>

namespace longrun {
namespace {

/// Answers the same questions by trying every schedule.
class EverySchedule {
 public:
  EverySchedule(const ScheduleRules& rules, bool units_lapse) : rules_(rules), units_lapse_(units_lapse) {}

  /// Returns whether everything owed can be pulled from `round` on.
  bool can_finish(Pulls round, Pulls gone, const std::vector<Pulls>& owed) {
    if (std::all_of(owed.begin(), owed.end(), [](Pulls pulls) { return pulls == 0; })) return true;
    if (round > rules_.budget.rounds()) return false;
    const auto [known, is_new] = known_.try_emplace({round, gone, owed}, false);
    if (!is_new) return known->second;
    const Pulls granted = rules_.budget.granted(round);
    bool possible = can_finish(round + 1, units_lapse_ ? std::max(gone, granted) : gone, owed);
    for (Arm arm = 0; arm < rules_.arms() && !possible; ++arm) {
      const auto i = static_cast<std::size_t>(arm);
      if (owed[i] == 0 || !rules_.available(arm, round) || gone + rules_.costs[i] > granted) continue;
      possible = can_finish(round, gone + rules_.costs[i], after(arm, owed));
    }
    known_[{round, gone, owed}] = possible;
    return possible;
  }

  bool allowed(Arm arm, Pulls round, Pulls gone, const std::vector<Pulls>& owed) {
    const Pulls after_it = gone + rules_.costs[static_cast<std::size_t>(arm)];
    if (after_it > rules_.budget.units) return false;
    Pulls paid_in = round;
    while (rules_.budget.granted(paid_in) < after_it) ++paid_in;
    if (units_lapse_ && paid_in > round) return false;
    return rules_.available(arm, paid_in) && can_finish(paid_in, after_it, after(arm, owed));
  }

 private:
  static std::vector<Pulls> after(Arm arm, std::vector<Pulls> owed) {
    Pulls& pulls = owed[static_cast<std::size_t>(arm)];
    pulls = std::max<Pulls>(0, pulls - 1);
    return owed;
  }

  const ScheduleRules& rules_;
  bool units_lapse_;
  std::map<std::tuple<Pulls, Pulls, std::vector<Pulls>>, bool> known_;
};

struct ScheduleInstance {
  ScheduleRules rules;
  bool units_lapse = false;
  std::vector<Pulls> least;
};

ScheduleInstance random_schedule(std::mt19937_64& bits) {
  const auto from = [&](Pulls low, Pulls high) {
    return low + static_cast<Pulls>(bits() % static_cast<std::uint64_t>(high - low + 1));
  };
  ScheduleInstance instance{
      .rules = {.budget = {.units = from(1, 9), .units_per_round = from(1, 3)}, .costs = {}, .unavailable = {}},
      .units_lapse = bits() % 2 == 0,
      .least = {}};
  const Pulls rounds = instance.rules.budget.rounds();
  for (Pulls arm = from(1, 3); arm > 0; --arm) {
    instance.rules.costs.push_back(instance.units_lapse ? 1 : from(1, 3));
    std::vector<RoundRange> unavailable;
    for (Pulls round = from(1, 2 * rounds); round <= rounds; round = unavailable.back().to + from(2, 3)) {
      unavailable.push_back({.from = round, .to = from(round, rounds)});
    }
    instance.rules.unavailable.push_back(unavailable);
    instance.least.push_back(from(0, 3));
  }
  return instance;
}

TEST(EveryFeasibility, HasAnObstacleIfAndOnlyIfNoScheduleMeetsTheMinima) {
  std::mt19937_64 bits(1);
  int possible = 0;
  int impossible = 0;
  for (int number = 0; number < 3000; ++number) {
    const ScheduleInstance instance = random_schedule(bits);
    const bool expected = EverySchedule(instance.rules, instance.units_lapse).can_finish(1, 0, instance.least);
    const auto obstacle = make_feasibility(instance.rules, instance.units_lapse)->obstacle(instance.least, {});
    ASSERT_EQ(!obstacle, expected) << "instance " << number << ": " << obstacle.value_or("");
    ++(expected ? possible : impossible);
  }
  EXPECT_GT(possible, 500);
  EXPECT_GT(impossible, 500);
}

TEST(EveryFeasibility, AllowsExactlyTheArmsThatLeaveTheMinimaPossible) {
  std::mt19937_64 bits(2);
  int forbidden = 0;
  int permitted = 0;
  for (int number = 0; number < 2000; ++number) {
    const ScheduleInstance instance = random_schedule(bits);
    EverySchedule every(instance.rules, instance.units_lapse);
    if (!every.can_finish(1, 0, instance.least)) continue;
    const auto feasibility = make_feasibility(instance.rules, instance.units_lapse);
    const std::vector<std::uint8_t> all_available(instance.least.size(), 0);
    std::vector<Pulls> owed = instance.least;
    std::vector<Arm> allowed;
    Pulls gone = 0;
    for (Pulls round = 1; round <= instance.rules.budget.rounds();) {
      feasibility->find_allowed({.round = round, .gone = gone, .owed = owed, .unavailable_now = all_available},
                                allowed);
      std::vector<Arm> expected;
      for (Arm arm = 0; arm < instance.rules.arms(); ++arm) {
        if (every.allowed(arm, round, gone, owed)) expected.push_back(arm);
      }
      ASSERT_EQ(allowed, expected) << "instance " << number << ", round " << round;
      permitted += static_cast<int>(allowed.size());
      forbidden += instance.rules.arms() - static_cast<int>(allowed.size());
      const bool round_ends = allowed.empty() || bits() % 4 == 0;
      const Pulls lapsing = feasibility->lapsing(round, gone);
      if (round_ends && every.can_finish(round + 1, gone + lapsing, owed)) {
        gone += lapsing;
        ++round;
        continue;
      }
      ASSERT_FALSE(allowed.empty()) << "instance " << number << ", round " << round << ": a dead end";
      const Arm arm = allowed[bits() % allowed.size()];
      gone += instance.rules.costs[static_cast<std::size_t>(arm)];
      owed[static_cast<std::size_t>(arm)] = std::max<Pulls>(0, owed[static_cast<std::size_t>(arm)] - 1);
      round = std::max(round, instance.rules.budget.round_of(gone));
    }
    for (const Pulls pulls : owed) ASSERT_EQ(pulls, 0) << "instance " << number;
  }
  EXPECT_GT(permitted, 1000);
  EXPECT_GT(forbidden, 1000);
}

TEST(EveryFeasibility, HasAnObstacleInAnyStateIfAndOnlyIfNothingOwedCanBePulledFromThere) {
  std::mt19937_64 bits(3);
  int possible = 0;
  int impossible = 0;
  for (int number = 0; number < 3000; ++number) {
    const ScheduleInstance instance = random_schedule(bits);
    const RoundBudget& budget = instance.rules.budget;
    const auto feasibility = make_feasibility(instance.rules, instance.units_lapse);
    const auto round = 1 + static_cast<Pulls>(bits() % static_cast<std::uint64_t>(budget.rounds() + 1));
    auto gone = static_cast<Pulls>(bits() % static_cast<std::uint64_t>(budget.units + 1));
    if (instance.units_lapse) gone = std::min(gone, budget.granted(round));
    gone += feasibility->lapsing(round - 1, gone);  // those of earlier rounds
    const std::vector<std::uint8_t> unavailable_now(instance.least.size(), 1);
    const bool expected = EverySchedule(instance.rules, instance.units_lapse).can_finish(round, gone, instance.least);
    const auto obstacle = feasibility->obstacle(
        {.round = round, .gone = gone, .owed = instance.least, .unavailable_now = unavailable_now}, {});
    ASSERT_EQ(!obstacle, expected) << "instance " << number << ": " << obstacle.value_or("");
    ++(expected ? possible : impossible);
  }
  EXPECT_GT(possible, 500);
  EXPECT_GT(impossible, 500);
}

TEST(EveryFeasibility, LeavesOutArmsThatAreUnavailableNow) {
  for (const bool units_lapse : {false, true}) {
    const ScheduleRules rules{
        .budget = {.units = 9, .units_per_round = 3}, .costs = {1, 1, 1}, .unavailable = {{}, {}, {}}};
    const std::vector<Pulls> owed{0, 0, 0};
    const std::vector<std::uint8_t> unavailable{1, 0, 1};
    std::vector<Arm> allowed;
    make_feasibility(rules, units_lapse)
        ->find_allowed({.round = 1, .gone = 0, .owed = owed, .unavailable_now = unavailable}, allowed);
    EXPECT_EQ(allowed, (std::vector<Arm>{1}));
  }
}

TEST(Feasibility, UnspentUnitsKeepOrLapse) {
  const ScheduleRules rules{.budget = {.units = 10, .units_per_round = 4}, .costs = {1}, .unavailable = {{}}};
  const auto kept = make_feasibility(rules, false);
  EXPECT_EQ(kept->lapsing(1, 1), 0);
  const auto lapsing = make_feasibility(rules, true);
  EXPECT_EQ(lapsing->lapsing(0, 0), 0);
  EXPECT_EQ(lapsing->lapsing(1, 1), 3);
  EXPECT_EQ(lapsing->lapsing(3, 8), 2) << "the last round grants what is left of the budget";
}

}  // namespace
}  // namespace longrun
