// The catalog: its entries are consistent, and policy texts are read correctly.
#include "longrun/policy/catalog.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "longrun/base/input_error.h"
#include "longrun/decide/live_policy.h"

namespace longrun {
namespace {

template <class Condition>
std::vector<std::string_view> names_where(Condition condition) {
  std::vector<std::string_view> names;
  for (const PolicyEntry& entry : policy_catalog()) {
    if (condition(entry)) names.push_back(entry.name);
  }
  return names;
}

TEST(Catalog, NamesAreUniqueAndUsableInATextWithParameters) {
  std::set<std::string_view> names;
  for (const PolicyEntry& entry : policy_catalog()) {
    EXPECT_TRUE(names.insert(entry.name).second) << entry.name;
    EXPECT_FALSE(entry.name.empty());
    EXPECT_EQ(entry.name.find_first_of(":,= "), std::string_view::npos) << entry.name;
    EXPECT_FALSE(entry.summary.empty()) << entry.name;
  }
}

TEST(Catalog, ParametersHaveUniqueNamesAMeaningAndARange) {
  for (const PolicyEntry& entry : policy_catalog()) {
    std::set<std::string_view> names;
    for (const Parameter& parameter : entry.parameters) {
      EXPECT_TRUE(names.insert(parameter.name).second) << entry.name << ": " << parameter.name;
      EXPECT_FALSE(parameter.meaning.empty()) << entry.name << ": " << parameter.name;
      EXPECT_LT(parameter.minimum, parameter.maximum) << entry.name << ": " << parameter.name;
    }
  }
}

TEST(Catalog, EveryEntryHasAColourOrIsAVariant) {
  for (const PolicyEntry& entry : policy_catalog()) {
    EXPECT_NE(entry.line.colour.empty(), entry.traits.variant_of.empty()) << entry.name;
  }
}

TEST(Catalog, VariantOfNamesAnEntryThatIsNoVariant) {
  std::set<std::string_view> originals;
  for (const PolicyEntry& entry : policy_catalog()) {
    const std::string_view original = entry.traits.variant_of;
    if (original.empty()) continue;
    const PolicyEntry* found = find_policy(original);
    ASSERT_NE(found, nullptr) << entry.name;
    EXPECT_EQ(found->name, original) << entry.name;
    EXPECT_TRUE(found->traits.variant_of.empty()) << entry.name;
    EXPECT_EQ(found->parameters.data(), entry.parameters.data()) << entry.name << ": variant_text keeps parameters";
    EXPECT_TRUE(originals.insert(original).second) << original << " has two variants; variant_text finds only one";
  }
  EXPECT_EQ(originals.size(), 4U);
}

TEST(Catalog, TraitsOfWhichThereIsOneAreHeldByOneEntry) {
  using Names = std::vector<std::string_view>;
  EXPECT_EQ(names_where([](const PolicyEntry& entry) { return entry.traits.yardstick; }), Names{"spo"});
  EXPECT_EQ(names_where([](const PolicyEntry& entry) { return entry.traits.myopic; }), Names{"greedy"});
  EXPECT_EQ(policy_with(&PolicyTraits::yardstick).name, "spo");
  EXPECT_EQ(policy_with(&PolicyTraits::myopic).name, "greedy");
  EXPECT_EQ(names_where([](const PolicyEntry& entry) { return entry.traits.reference; }), Names{"optimal"});
  EXPECT_EQ(names_where([](const PolicyEntry& entry) { return entry.traits.estimates_arms; }), Names{"foresight"});
}

TEST(Catalog, TheDefaultPolicyExists) {
  ASSERT_NE(find_policy(kDefaultPolicy), nullptr);
  EXPECT_FALSE(find_policy(kDefaultPolicy)->traits.needs_plan);
}

TEST(Catalog, PoliciesThatEstimateTheNoiseHaveTheParameterForIt) {
  for (const PolicyEntry& entry : policy_catalog()) {
    const bool has = std::any_of(entry.parameters.begin(), entry.parameters.end(),
                                 [](const Parameter& parameter) { return parameter.name == "estimate_sd"; });
    EXPECT_EQ(has, entry.traits.estimates_noise) << entry.name;
  }
}

TEST(PolicyText, FindsEntryTraitsAndVariant) {
  EXPECT_EQ(policy_name("d-ucb:discount=0.99"), "d-ucb");
  EXPECT_EQ(policy_name("spo"), "spo");
  ASSERT_NE(find_policy("d-ucb:discount=0.99"), nullptr);
  EXPECT_EQ(find_policy("d-ucb:discount=0.99")->name, "d-ucb");
  EXPECT_EQ(find_policy("d-uc"), nullptr);
  EXPECT_TRUE(traits_of("exp3:gamma=0.5").randomized);
  EXPECT_FALSE(traits_of("mine").randomized);
  EXPECT_EQ(variant_text("spo"), "spo@released");
  EXPECT_EQ(variant_text("spo:failure=0.1"), "spo@released:failure=0.1");
  EXPECT_EQ(variant_text("greedy"), "");
  EXPECT_EQ(variant_text("spo@released"), "");
  EXPECT_EQ(variant_text("mine"), "");
}

TEST(PolicyChoice, EstimatesTheNoiseUnlessItCannotOrTheTextSaysSo) {
  EXPECT_EQ(PolicyChoice("foresight").estimating_noise().text(), "foresight:estimate_sd=1");
  EXPECT_EQ(PolicyChoice("foresight:bound_only=1").estimating_noise().text(), "foresight:bound_only=1,estimate_sd=1");
  EXPECT_EQ(PolicyChoice("foresight:estimate_sd=0").estimating_noise().text(), "foresight:estimate_sd=0");
  EXPECT_EQ(PolicyChoice("spo").estimating_noise().text(), "spo");
}

TEST(PolicyChoice, NumberIsThePositionInTheCatalog) {
  for (const PolicyEntry& entry : policy_catalog()) {
    EXPECT_EQ(policy_catalog()[PolicyChoice(entry.name).number()].name, entry.name);
  }
}

TEST(PolicyList, CommasSeparatePoliciesAndTheirParameters) {
  using Names = std::vector<std::string>;
  const auto texts = [](std::string_view list) {
    Names found;
    for (const PolicyChoice& policy : parse_policies(list)) found.push_back(policy.text());
    return found;
  };
  EXPECT_EQ(texts("spo"), Names{"spo"});
  EXPECT_EQ(texts("spo,d-ucb:discount=0.9,exploration=1,ucb"),
            (Names{"spo", "d-ucb:discount=0.9,exploration=1", "ucb"}));
  EXPECT_EQ(texts("sw-ucb:window=5,sw-ucb:window=6"), (Names{"sw-ucb:window=5", "sw-ucb:window=6"}));
  for (const char* wrong : {"", "spo,", "window=5,spo", "spo,gredy"}) EXPECT_THROW(texts(wrong), InputError) << wrong;
}

TEST(EveryParameter, AtItsEndsAndNearThemLetsItsPolicyDecide) {
  for (const PolicyEntry& entry : policy_catalog()) {
    for (const Parameter& parameter : entry.parameters) {
      for (const double value : {parameter.minimum, parameter.maximum, 0.0, 1e-300, 1e-12, 1.0, 1e300}) {
        const bool whole = value == std::floor(value);
        if (value < parameter.minimum || value > parameter.maximum || (parameter.whole && !whole)) continue;
        const std::string text = fmt::format("{}:{}={}", entry.name, parameter.name, value);
        for (const Noise& noise :
             {Noise(NoNoise{}), Noise(Gaussian{1e-300}), Noise(Gaussian{0.1}), Noise(Bernoulli{})}) {
          const auto policy =
              make_policy(PolicyChoice(text), {.arms = 3, .horizon = 60, .noise = noise, .plan = {20, 20, 20}});
          for (int step = 0; step < 60; ++step) {
            const Arm arm = policy->choose();
            ASSERT_TRUE(arm >= 0 && arm < 3) << text;
            policy->observe(arm, (arm + step) % 2 == 0 ? 1 : 0);
          }
        }
      }
    }
  }
}

TEST(EveryPolicy, ReturnsAnArmAfterAnyFiniteRewards) {
  constexpr double kHuge = std::numeric_limits<double>::max();
  for (const PolicyEntry& entry : policy_catalog()) {
    const auto policy =
        make_policy(PolicyChoice(entry.name), {.arms = 2, .horizon = 50, .noise = Gaussian{0.1}, .plan = {25, 25}});
    for (int step = 0; step < 200; ++step) {
      const Arm arm = policy->choose();
      ASSERT_TRUE(arm == 0 || arm == 1) << entry.name;
      policy->observe(arm, step % 3 == 0 ? kHuge : -kHuge);
    }
  }
}

}  // namespace
}  // namespace longrun
