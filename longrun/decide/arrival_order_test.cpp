// The state of a policy under constraints with costs does not depend on how its pulls arrived.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "longrun/decide/constrained_policy.h"

namespace longrun {
namespace {

ConstrainedPolicy with_costs(const std::string& policy) {
  Constraints constraints;
  constraints.costs.named = {{0, 1}, {1, 4}, {2, 3}};
  return {PolicyChoice(policy), {.arms = 3, .horizon = 600, .noise = NoNoise{}, .seed = 4}, constraints};
}

/// Returns the reward of the n-th pull of an arm, from 1: so low that PTRR drops every arm after a tenth of the budget.
double reward_of(Arm arm, Pulls pull) { return (0.03 + 0.01 * arm) * (1 - 0.5 / static_cast<double>(pull)); }

/// Returns the next arm; empty rounds only save units for it.
Arm next_arm(ConstrainedPolicy& policy) {
  while (!policy.done()) {
    const auto round = policy.next_round();
    if (!round.empty()) return round[0];
  }
  ADD_FAILURE() << "the budget is spent";
  return 0;
}

/// Returns the next choices, each after the rewards of those before it.
std::vector<Arm> choices_after(ConstrainedPolicy policy) {
  std::vector<Arm> choices;
  for (int step = 0; step < 15 && !::testing::Test::HasFailure(); ++step) {
    choices.push_back(next_arm(policy));
    policy.observe(choices.back(), reward_of(choices.back(), policy.issued(choices.back())));
  }
  return choices;
}

TEST(EveryWayOfArrival, OfAHistoryWithCostsLeadsToTheSameChoices) {
  // The policies that use the number of pulls that remain, and whose choices are a function of the rewards of each arm.
  for (const char* name : {"ptrr", "ptrr:m=0.6", "increasing", "spo"}) {
    ConstrainedPolicy decided = with_costs(name);
    ConstrainedPolicy added = with_costs(name);
    ConstrainedPolicy adopted = with_costs(name);
    ConstrainedPolicy corrected = with_costs(name);  // every pull was cancelled once, and then made
    for (int step = 0; step < 60; ++step) {
      const Arm arm = next_arm(decided);
      const double reward = reward_of(arm, decided.issued(arm));
      decided.observe(arm, reward);
      added.add(arm, reward);
      adopted.add_pending(arm);
      adopted.observe(arm, reward);
      corrected.add_pending(arm);
      corrected.cancel(arm);
      corrected.add(arm, reward);
      const std::vector<Arm> expected = choices_after(decided);
      ASSERT_EQ(choices_after(added), expected) << name << " after " << step + 1;
      ASSERT_EQ(choices_after(adopted), expected) << name << " after " << step + 1;
      ASSERT_EQ(choices_after(corrected), expected) << name << " after " << step + 1;
      ConstrainedPolicy restored = with_costs(name);
      Writer writer;
      decided.save(writer);
      Reader reader(writer.bytes());
      restored.load(reader);
      ASSERT_EQ(choices_after(restored), expected) << name << " after " << step + 1;
    }
  }
}

}  // namespace
}  // namespace longrun
