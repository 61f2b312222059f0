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

}  // namespace
}  // namespace longrun
