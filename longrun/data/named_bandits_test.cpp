#include "longrun/data/named_bandits.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "longrun/base/input_error.h"
#include "longrun/data/arena_bandits.h"
#include "longrun/data/recommender.h"

namespace longrun {
namespace {

/// Returns the largest deviation from single-peakedness of the curves of a listed bandit.
double allowed_deviation(std::string_view name) {
  if (name.starts_with("fico")) return 0.073;             // from data; fico_test has the deviation of each
  if (name.starts_with("learning_curves")) return 0.079;  // so does learning_curves_test
  for (const RandomFamily& family : kRandomFamilies) {
    const bool convex = family.kind == ArmKind::s_shaped || family.kind == ArmKind::plateau ||
                        family.kind == ArmKind::mixed;  // the start of some rises
    if (name == family.name && convex) return 0.05;
  }
  return 1e-9;
}

TEST(NamedBandits, EveryListedOneIsSinglePeakedWithinTheUnitIntervalOrIsKnownNotToBe) {
  EXPECT_EQ(named_bandits().size(), 43U);
  for (const NamedBandit& listed : named_bandits()) {
    const Bandit bandit = named_bandit(listed.name);
    EXPECT_FALSE(listed.summary.empty());
    EXPECT_EQ(bandit.name, listed.name);
    EXPECT_EQ(bandit.arm_names.size(), bandit.arms.size());
    EXPECT_GT(bandit.horizon, 0);
    for (const Curve& curve : bandit.arms) {
      EXPECT_LE(shape_of(curve, bandit.horizon).deviation, allowed_deviation(listed.name)) << listed.name;
      for (Pulls pull = 1; pull <= bandit.horizon; ++pull) {
        ASSERT_GE(curve.reward(pull), 0) << listed.name;
        ASSERT_LE(curve.reward(pull), 1) << listed.name;
      }
    }
  }
}

TEST(NamedBandits, ConstantInstancesDifferAndStayTheSame) {
  EXPECT_EQ(named_bandit("const").arms[0].reward(1), named_bandit("const_1").arms[0].reward(1));
  EXPECT_NE(named_bandit("const_1").arms[0].reward(1), named_bandit("const_2").arms[0].reward(1));
  EXPECT_EQ(named_bandit("const_30").arm_count(), 10);
}

TEST(NamedBandits, FicoSamplesDifferFromEachOtherAndFromTheQuantiles) {
  for (const std::string name : {"fico_score_change", "fico_utility"}) {
    const Bandit sample = named_bandit(name + "_sample_1");
    EXPECT_EQ(sample.name, name + "_sample_1");
    EXPECT_EQ(sample.horizon, 2000);
    EXPECT_EQ(sample.arm_names, named_bandit(name).arm_names);
    EXPECT_EQ(sample.arms[0].reward(9), named_bandit(name + "_sample_1").arms[0].reward(9));
    EXPECT_NE(sample.arms[0].reward(9), named_bandit(name + "_sample_2").arms[0].reward(9));
    EXPECT_NE(sample.arms[0].reward(9), named_bandit(name).arms[0].reward(9));
  }
}

TEST(NamedBandits, OnlySomeRandomFamiliesDifferInTheirNumberOfArms) {
  for (const std::string family :
       {"const", "recommender_random", "fico_score_change_sample", "fico_utility_sample", "random_peaked",
        "random_rising", "random_falling", "random_constant", "random_mixed", "random_many_rising"}) {
    std::set<Arm> arms;
    for (int instance = 1; instance <= 20; ++instance) {
      arms.insert(named_bandit(family + "_" + std::to_string(instance)).arm_count());
    }
    EXPECT_EQ(instances_differ_in_arms(family + "_*"), arms.size() > 1) << family;
  }
  EXPECT_FALSE(instances_differ_in_arms("inc_1_alpha_*"));
}

TEST(NamedBandits, RisingFamiliesTakeAnyExponent) {
  EXPECT_DOUBLE_EQ(named_bandit("inc_1_alpha_2").arms[1].reward(2), 0.5 - 0.5 / 4);
  EXPECT_EQ(named_bandit("inc_2").arms[1].reward(7), named_bandit("inc_2_alpha_0.03").arms[1].reward(7));
}

TEST(NamedBandits, AnUnknownNameBringsTheNearest) {
  try {
    named_bandit("inc_dec3");
    FAIL();
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("did you mean 'inc_dec_3'?"), std::string::npos) << error.what();
  }
  try {
    named_bandit("recommender_random_0");
    FAIL();
  } catch (const InputError& error) {
    EXPECT_EQ(std::string(error.what()),
              "bandit 'recommender_random_0': numbers start at 1, so the first is recommender_random_1");
  }
  for (const char* wrong : {"",
                            "inc_1_alpha_",
                            "inc_1_alpha_0",
                            "inc_1_alpha_x",
                            "inc_1_beta_1",
                            "inc_2_alpha_2",
                            "const_0",
                            "const_x",
                            "const1",
                            "recommender_D",
                            "recommender_",
                            "recommender_random_0",
                            "recommender_random_",
                            "recommender_random1",
                            "fico",
                            "fico_",
                            "fico_score_change_1",
                            "fico_utility_sample",
                            "fico_utility_sample_",
                            "fico_utility_sample_0",
                            "fico_utility_sample_-1",
                            "fico_utility_sample_1x"}) {
    EXPECT_THROW(named_bandit(wrong), InputError) << wrong;
  }
}

TEST(Recommender, ItemsAboveOneAreScaledToAPeakOfOne) {
  const RecommenderItem item{.value = 0.1, .novelty = 0.5, .decay = 0.99, .pull_to_value = 0.01};
  const Bandit bandit = recommender_bandit("loud", std::vector<RecommenderItem>{item});
  double largest = 0;
  for (Pulls pull = 1; pull <= 3000; ++pull) largest = std::max(largest, bandit.arms[0].reward(pull));
  EXPECT_EQ(largest, 1);
  EXPECT_THROW(paper_recommender_items('D'), InputError);
}

bool within_random_ranges(const RecommenderItem& item) {
  return item.value >= 0 && item.value <= 0.5 && item.novelty >= 0 && item.novelty <= 0.35 && item.decay >= 0.9 &&
         item.decay <= 0.99 && item.pull_to_value >= 0.005 && item.pull_to_value <= 0.2;
}

TEST(RandomRecommender, ItsRangesHoldTheItemsOfThePaper) {
  for (const char instance : {'A', 'B', 'C'}) {
    for (const RecommenderItem& item : paper_recommender_items(instance)) EXPECT_TRUE(within_random_ranges(item));
  }
}

TEST(RandomRecommender, InstancesFillTheRangesAndAreSinglePeaked) {
  RecommenderItem sum;
  constexpr int kInstances = 100;
  for (std::uint64_t instance = 1; instance <= kInstances; ++instance) {
    for (const RecommenderItem& item : random_recommender_items(instance)) {
      EXPECT_TRUE(within_random_ranges(item));
      sum.value += item.value;
      sum.novelty += item.novelty;
      sum.decay += item.decay;
      sum.pull_to_value += item.pull_to_value;
    }
    const Bandit bandit = named_bandit("recommender_random_" + std::to_string(instance));
    EXPECT_EQ(bandit.arm_count(), 4);
    for (const Curve& curve : bandit.arms) EXPECT_TRUE(shape_of(curve, bandit.horizon).single_peaked) << bandit.name;
  }
  constexpr int kItems = 4 * kInstances;  // the mean of 400 has a standard error of 0.0144 times the range
  EXPECT_NEAR(sum.value / kItems, 0.25, 0.06 * 0.5);
  EXPECT_NEAR(sum.novelty / kItems, 0.175, 0.06 * 0.35);
  EXPECT_NEAR(sum.decay / kItems, 0.945, 0.06 * 0.09);
  EXPECT_NEAR(sum.pull_to_value / kItems, 0.1025, 0.06 * 0.195);
}

TEST(RandomRecommender, InstancesDifferAndStayTheSame) {
  EXPECT_EQ(named_bandit("recommender_random").arms[0].reward(9),
            named_bandit("recommender_random_1").arms[0].reward(9));
  EXPECT_NE(named_bandit("recommender_random_1").arms[0].reward(9),
            named_bandit("recommender_random_2").arms[0].reward(9));
}

}  // namespace
}  // namespace longrun
