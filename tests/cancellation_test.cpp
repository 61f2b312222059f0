// Long computations stop when their thread is cancelled.
#include "longrun/base/cancellation.h"

#include <gtest/gtest.h>

#include <atomic>

#include "longrun/data/named_bandits.h"
#include "longrun/decide/advice/recommendation.h"
#include "longrun/decide/constrained_policy.h"
#include "longrun/policy/catalog.h"
#include "longrun/simulate/optimum.h"
#include "longrun/simulate/play.h"
#include "longrun/simulate/play_constrained.h"
#include "longrun/solve/best_allocation.h"

namespace longrun {
namespace {

TEST(Cancellation, EndsWithItsScope) {
  std::atomic<bool> stop{true};
  EXPECT_NO_THROW(throw_if_cancelled());
  {
    const CancellationScope outer(&stop);
    EXPECT_THROW(throw_if_cancelled(), Cancelled);
    {
      const CancellationScope inner(nullptr);
      EXPECT_THROW(throw_if_cancelled(), Cancelled);  // that of the scope around it stays
    }
    EXPECT_THROW(throw_if_cancelled(), Cancelled);
    stop = false;
    EXPECT_NO_THROW(throw_if_cancelled());
  }
  stop = true;
  EXPECT_NO_THROW(throw_if_cancelled());
}

TEST(Cancellation, StopsEveryLongComputation) {
  const std::atomic<bool> stop{true};
  const Bandit peaked = named_bandit("inc_dec_3");
  const Setting setting{.arms = 2, .horizon = 1000};
  const Constraints costly{.costs = {.every = 1, .named = {{0, 2}}}};
  Constraints unavailable{.units_lapse = true};
  unavailable.unavailable[0] = {{300, 900}};
  const CancellationScope scope(&stop);
  for (const PolicyEntry& entry : policy_catalog()) {
    if (entry.traits.needs_plan) continue;
    EXPECT_THROW(play(PolicyChoice(entry.name), peaked, setting), Cancelled) << entry.name;
  }
  EXPECT_THROW(play_constrained(World(peaked, 0, 0), PolicyChoice("spo"), setting, costly), Cancelled);
  EXPECT_THROW(optimal_allocation(peaked, 1000, costly), Cancelled);
  EXPECT_THROW(optimal_allocation(peaked, 1000, unavailable), Cancelled);
  EXPECT_THROW(BestAllocations(known_arms(peaked, 1000)), Cancelled);
  for (const char* name : {"inc_1", "random_falling", "inc_dec_3"}) {
    EXPECT_THROW(optimal_allocation(named_bandit(name), 1000), Cancelled) << name;
    EXPECT_THROW(observe_all(named_bandit(name), 0, 0, 1000), Cancelled) << name;
    EXPECT_THROW(named_bandit(name).tabulated(1000), Cancelled) << name;
  }
  EXPECT_THROW(recommend({.history = {.arm_names = {"", ""}, .pulls = {}}, .horizon = 10}), Cancelled);
  EXPECT_THROW(best_allocation_by_dynamic_program(known_arms(named_bandit("recommender_A"), 1000)), Cancelled);
}

}  // namespace
}  // namespace longrun
