#include "longrun/data/learning_curves.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "longrun/data/named_bandits.h"
#include "tests/error_of.h"

namespace longrun {
namespace {

/// Returns the arm whose reward at this pull is smallest (sign -1) or largest (sign 1).
std::string extreme_arm(const Bandit& bandit, Pulls pull, double sign) {
  std::size_t chosen = 0;
  for (std::size_t arm = 1; arm < bandit.arms.size(); ++arm) {
    if (sign * bandit.arms[arm].reward(pull) > sign * bandit.arms[chosen].reward(pull)) chosen = arm;
  }
  return bandit.arm_names[chosen];
}

TEST(LearningCurves, AreBanditsOfEightLearnersWithAccuraciesAsRewards) {
  EXPECT_EQ(learning_data_sets(), (std::vector<std::string>{"wine", "iris", "diabetes", "shells", "clusters"}));
  for (const std::string& data : learning_data_sets()) {
    const Bandit bandit = named_bandit("learning_curves_" + data);
    EXPECT_EQ(bandit.name, "learning_curves_" + data);
    EXPECT_EQ(bandit.arm_count(), 8);
    EXPECT_EQ(bandit.horizon, 500);
    EXPECT_EQ(bandit.longest_horizon(), 500) << "nothing is known after the last measured pull";
    for (const Curve& curve : bandit.arms) {
      for (Pulls pull = 1; pull <= 500; ++pull) {
        ASSERT_GE(curve.reward(pull), 0.2);
        ASSERT_LE(curve.reward(pull), 1);
      }
    }
  }
}

TEST(LearningCurves, HaveTheMeasuredAccuraciesAndStraightLinesBetweenThem) {
  const Bandit bandit = learning_curves_bandit("c", "clusters");
  ASSERT_EQ(bandit.arm_names[0], "naive_bayes");
  ASSERT_EQ(bandit.arm_names[7], "network_64_slow");
  EXPECT_EQ(bandit.arms[0].reward(1), 0.471);
  EXPECT_EQ(bandit.arms[0].reward(10), 0.785);
  EXPECT_EQ(bandit.arms[7].reward(1), 0.269);
  EXPECT_EQ(bandit.arms[7].reward(500), 0.87);
  EXPECT_EQ(bandit.arms[7].reward(492), 0.87);
  const Curve& slow = bandit.arms[7];  // measured at pulls 25, 27, 29, ...
  EXPECT_NEAR(slow.reward(26), (slow.reward(25) + slow.reward(27)) / 2, 1e-12);
  EXPECT_EQ(error_of([] { learning_curves_bandit("c", "wines"); }),
            "unknown data set 'wines' (allowed: wine, iris, diabetes, shells, clusters)");
}

// The claim of experiments/learning_curves.toml, and where it holds only roughly.
TEST(LearningCurves, TheLearnerThatStartsWorstEndsBest) {
  for (const std::string data : {"iris", "diabetes", "clusters"}) {
    const Bandit bandit = learning_curves_bandit("c", data);
    EXPECT_EQ(extreme_arm(bandit, 1, -1), "network_64_slow") << data;
    EXPECT_EQ(extreme_arm(bandit, 500, 1), "network_64_slow") << data;
  }
  const Bandit wine = learning_curves_bandit("c", "wine");
  EXPECT_EQ(extreme_arm(wine, 1, -1), "network_64_slow");
  EXPECT_EQ(extreme_arm(wine, 500, 1), "passive_aggressive");
  EXPECT_NEAR(wine.arms[7].reward(500), wine.arms[2].reward(500), 0.005) << "as good as the best";
  const Bandit shells = learning_curves_bandit("c", "shells");
  EXPECT_EQ(extreme_arm(shells, 1, -1), "network_16");
  EXPECT_EQ(extreme_arm(shells, 1, 1), "naive_bayes");
  for (std::size_t network = 5; network < 8; ++network) {
    EXPECT_LT(shells.arms[network].reward(1), 0.35) << "chance";
    EXPECT_GT(shells.arms[network].reward(500), shells.arms[0].reward(500) + 0.02) << "better than naive Bayes";
  }
}

// The table of datasets/README.md.
TEST(LearningCurves, DeviateFromSinglePeakedOnesAsDocumented) {
  struct Deviation {
    std::string data;
    double largest;
  };
  for (const Deviation& known :
       {Deviation{"wine", 0.014}, {"iris", 0.078}, {"diabetes", 0.051}, {"shells", 0.025}, {"clusters", 0.028}}) {
    double largest = 0;
    for (const Curve& curve : learning_curves_bandit("c", known.data).arms)
      largest = std::max(largest, shape_of(curve, 500).deviation);
    EXPECT_NEAR(largest, known.largest, 0.0005) << known.data;
  }
}

}  // namespace
}  // namespace longrun
