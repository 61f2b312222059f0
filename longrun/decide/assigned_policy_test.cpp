// A policy that takes the state of another one by assignment.
#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <utility>

#include "longrun/decide/live_policy.h"

namespace longrun {
namespace {

constexpr Arm kAssignedArms = 4;

PolicyState policy_after(const PolicyEntry& entry, unsigned seed, int steps) {
  std::mt19937 random(seed);
  PolicyState policy(make_policy(PolicyChoice(entry.name),
                                 {.arms = kAssignedArms, .horizon = 500, .noise = Gaussian{0.1}, .seed = 3}));
  for (int step = 0; step < steps; ++step) {
    const Arm arm = policy->choose();
    if (random() % 4 != 0) policy->observe(arm, 0.2 * arm + 0.1 * static_cast<double>(random() % 3));
  }
  return policy;
}

/// Returns the next choices of a policy whose rewards follow a fixed rule.
std::vector<Arm> next_choices(PolicyState& policy) {
  std::vector<Arm> choices;
  for (int step = 0; step < 60; ++step) {
    choices.push_back(policy->choose());
    if (step % 3 != 0) policy->observe(choices.back(), 0.2 * choices.back());
  }
  return choices;
}

TEST(EveryPolicy, ContinuesAfterAnAssignmentExactlyAsTheAssignedOne) {
  for (const PolicyEntry& entry : policy_catalog()) {
    if (entry.traits.needs_plan) continue;
    for (const int steps : {0, 1, 7, 90}) {
      PolicyState original = policy_after(entry, 1, steps);
      PolicyState other = policy_after(entry, 2, 40);
      const auto memory = reinterpret_cast<std::uintptr_t>(other.operator->());
      other = original;
      EXPECT_EQ(memory, reinterpret_cast<std::uintptr_t>(other.operator->()))
          << entry.name << ": a new object, not an assignment";
      PolicyState copy = original;
      const std::vector<Arm> expected = next_choices(copy);
      EXPECT_EQ(next_choices(other), expected) << entry.name << " after " << steps;
      EXPECT_EQ(next_choices(original), expected) << entry.name << ": the original has changed";
    }
  }
}

TEST(PolicyState, TakesAPolicyOfAnotherKind) {
  const PolicyState original = policy_after(policy_catalog()[0], 1, 30);
  for (const PolicyEntry& entry : policy_catalog()) {
    if (entry.traits.needs_plan) continue;
    PolicyState other = policy_after(entry, 2, 10);
    other = original;
    PolicyState copy = original;
    EXPECT_EQ(next_choices(other), next_choices(copy)) << entry.name;
  }
}

}  // namespace
}  // namespace longrun
