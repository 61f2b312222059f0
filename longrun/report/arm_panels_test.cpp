#include "longrun/report/arm_panels.h"

#include <gtest/gtest.h>

#include <cmath>

namespace longrun {
namespace {

TEST(ArmMeans, AreThoseOfBlocksOfEquallyManyRewards) {
  ArmMeans means;
  for (const double reward : {1, 1, 1, 1, 1, 1, 3, 3, 3, 3, 3, 3}) means.add(reward);
  means.finish(0.6, false);
  ASSERT_EQ(means.blocks().size(), 2U);
  EXPECT_EQ(means.blocks()[0].mean, 1);
  EXPECT_EQ(means.blocks()[1].mean, 3);
  EXPECT_EQ(means.blocks()[0].pull, 3.5) << "the middle of pulls 1 to 6";
  EXPECT_EQ(means.blocks()[1].pull, 9.5);
  EXPECT_DOUBLE_EQ(means.blocks()[0].error, 2 * 0.6 / std::sqrt(6.0));
}

TEST(PanelAxes, HaveThePresentAtZero) {
  const PanelAxes axes{.past = 100, .future = 400, .past_width = 0.4, .remaining = 400};
  EXPECT_DOUBLE_EQ(axes.across(100, 100), 0);
  EXPECT_DOUBLE_EQ(axes.across(0, 100), -0.4);
  EXPECT_DOUBLE_EQ(axes.across(500, 100), 0.6);
  const std::vector<std::pair<double, Pulls>> all{{0, 100}, {-0.4, 0}, {0.6, 500}};
  EXPECT_EQ(axes.tics(100), all);
  const std::vector<std::pair<double, Pulls>> narrow{{0, 10}, {0.6, 410}};
  EXPECT_EQ(axes.tics(10), narrow) << "0 would be too near to 10";
}

}  // namespace
}  // namespace longrun
