#include "longrun/report/policy_roles.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "longrun/policy/catalog.h"

namespace longrun {
namespace {

TEST(PolicyRoles, TheCatalogHasOneYardstickAndOneReference) {
  const auto catalog = policy_catalog();
  const auto count = [&](auto trait) { return std::count_if(catalog.begin(), catalog.end(), trait); };
  EXPECT_EQ(count([](const PolicyEntry& entry) { return entry.traits.yardstick; }), 1);
  EXPECT_EQ(count([](const PolicyEntry& entry) { return entry.traits.reference; }), 1);
  EXPECT_TRUE(traits_of(yardstick_name()).yardstick);
}

TEST(PolicyRoles, TheTitleIsTheNameInCapitals) {
  EXPECT_EQ(yardstick_name(), "spo");
  EXPECT_EQ(yardstick_title(), "SPO");
}

TEST(PolicyRoles, AllButTheReferenceAndVariantsCompete) {
  for (const char* policy : {"spo", "spo:failure=0.1", "greedy", "written_in_python"}) EXPECT_TRUE(competes(policy));
  for (const char* policy : {"optimal", "spo@released", "d-ucb@released:discount=0.9"}) EXPECT_FALSE(competes(policy));
}

TEST(PolicyLabels, OfAGridDifferByTheirParameters) {
  EXPECT_EQ(policy_label("spo"), "spo");
  EXPECT_EQ(policy_label("d-ucb:discount=0.9"), "d-ucb:discount=0.9") << "short enough";
  EXPECT_EQ(policy_label("sw-ucb:exploration=0.5,window=100"), "sw-ucb:e=0.5,w=100");
  EXPECT_EQ(policy_label("sw-ucb:exploration=1,window=100"), "sw-ucb:e=1,w=100");
  EXPECT_EQ(policy_label("foresight:bound_only=1,estimate_sd=1"), "foresight:bo=1,es=1");
  EXPECT_EQ(policy_label("a policy with a very long name"), "a policy with a ve..");
  EXPECT_EQ(policy_label("written_in_python:aa=1,ab=2"), "written_in_python:..") << "initials would be the same";
  EXPECT_EQ(policy_label("written_python:with,some:text"), "written_python:w,s");
}

}  // namespace
}  // namespace longrun
