#include "longrun/data/named_bandits.h"

#include <gtest/gtest.h>

#include "longrun/base/input_error.h"
#include "longrun/data/recommender.h"

namespace longrun {
namespace {

TEST(NamedBandits, EveryListedOneIsSinglePeakedWithinTheUnitInterval) {
  EXPECT_EQ(named_bandits().size(), 19U);
  for (const NamedBandit& listed : named_bandits()) {
    const Bandit bandit = named_bandit(listed.name);
    EXPECT_FALSE(listed.summary.empty());
    EXPECT_EQ(bandit.name, listed.name);
    EXPECT_EQ(bandit.arm_names.size(), bandit.arms.size());
    EXPECT_GT(bandit.horizon, 0);
    for (const Curve& curve : bandit.arms) {
      EXPECT_TRUE(shape_of(curve, bandit.horizon).single_peaked) << listed.name;
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
  for (const char* wrong : {"", "inc_1_alpha_", "inc_1_alpha_0", "inc_1_alpha_x", "inc_1_beta_1", "inc_2_alpha_2",
                            "const_0", "const_x", "recommender_D", "recommender_"}) {
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

}  // namespace
}  // namespace longrun
