// Whoever computes long asks whether to go on.
#include "longrun/base/interruption.h"

#include <gtest/gtest.h>

#include <atomic>

#include "longrun/data/named_bandits.h"
#include "longrun/policy/catalog.h"
#include "longrun/policy/constrained.h"
#include "longrun/policy/optimal.h"
#include "longrun/policy/recommendation.h"
#include "longrun/solve/best_allocation.h"

namespace longrun {
namespace {

TEST(Interruption, IsOnlyForWhoeverAskedForIt) {
  std::atomic<bool> stop{true};
  EXPECT_NO_THROW(leave_if_interrupted());
  {
    const Interruptible outer(&stop);
    EXPECT_THROW(leave_if_interrupted(), Abandoned);
    {
      const Interruptible inner(nullptr);
      EXPECT_NO_THROW(leave_if_interrupted());
    }
    EXPECT_THROW(leave_if_interrupted(), Abandoned);
    stop = false;
    EXPECT_NO_THROW(leave_if_interrupted());
  }
  stop = true;
  EXPECT_NO_THROW(leave_if_interrupted());
}

TEST(Interruption, LeavesEveryLongComputation) {
  const std::atomic<bool> stop{true};
  const Bandit peaked = named_bandit("inc_dec_3");
  const Setting setting{.arms = 2, .horizon = 1000};
  const Constraints costly{.costs = {.every = 1, .named = {{0, 2}}}};
  Constraints absent{.units_lapse = true};
  absent.unavailable[0] = {{300, 900}};
  const Interruptible by(&stop);
  for (const PolicyEntry& entry : policy_catalog()) {
    if (entry.needs_plan) continue;
    EXPECT_THROW(PolicyChoice(entry.name).play(peaked, setting), Abandoned) << entry.name;
  }
  EXPECT_THROW(play_constrained(World(peaked, 0, 0), PolicyChoice("spo"), setting, costly), Abandoned);
  EXPECT_THROW(optimal_allocation(peaked, 1000, costly), Abandoned);
  EXPECT_THROW(optimal_allocation(peaked, 1000, absent), Abandoned);
  EXPECT_THROW(BestAllocations(known_arms(peaked, 1000)), Abandoned);
  for (const char* name : {"inc_1", "random_falling", "inc_dec_3"}) {
    EXPECT_THROW(optimal_allocation(named_bandit(name), 1000), Abandoned) << name;
    EXPECT_THROW(observe_all(named_bandit(name), 0, 0, 1000), Abandoned) << name;
    EXPECT_THROW(named_bandit(name).tabulated(1000), Abandoned) << name;
  }
  EXPECT_THROW(recommend({.history = {.arm_names = {"", ""}, .pulls = {}}, .horizon = 10}), Abandoned);
  EXPECT_THROW(best_allocation_by_dynamic_program(known_arms(named_bandit("recommender_A"), 1000)), Abandoned);
}

}  // namespace
}  // namespace longrun
