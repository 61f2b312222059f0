#include "longrun/report/advice/arm_panels.h"

#include <gtest/gtest.h>

#include <cmath>

namespace longrun {
namespace {

TEST(ArmMeans, AreThoseOfBlocksOfEquallyManyRewards) {
  ArmMeans means;
  Pulls pull = 0;
  for (const double reward : {1, 1, 1, 1, 1, 1, 3, 3, 3, 3, 3, 3}) means.add(++pull, reward);
  means.finish(0.6, false);
  ASSERT_EQ(means.blocks().size(), 2U);
  EXPECT_EQ(means.blocks()[0].mean, 1);
  EXPECT_EQ(means.blocks()[1].mean, 3);
  EXPECT_EQ(means.blocks()[0].pull, 3.5) << "the middle of pulls 1 to 6";
  EXPECT_EQ(means.blocks()[1].pull, 9.5);
  EXPECT_DOUBLE_EQ(means.blocks()[0].error, 2 * 0.6 / std::sqrt(6.0));
}

TEST(ArmMeans, AreAtTheirPullsWhereRewardsAreMissing) {
  Question question{.history = {.arm_names = {"a"}, .pulls = {}}, .horizon = 100};
  for (int pull = 1; pull <= 20; ++pull) {
    question.history.pulls.push_back({0, pull <= 8 ? std::nullopt : std::optional(0.5)});
  }
  const std::vector<ArmMeans> means = means_of(question, recommend(question));
  EXPECT_EQ(means[0].pulls().front(), 9);
  EXPECT_EQ(means[0].blocks().front().pull, 11.5) << "the middle of pulls 9 to 14";
}

TEST(PanelAxes, HaveThePresentAtZero) {
  const PanelAxes axes{.past = 100, .future = 400, .past_width = 0.4};
  EXPECT_DOUBLE_EQ(axes.across(100, 100), 0);
  EXPECT_DOUBLE_EQ(axes.across(0, 100), -0.4);
  EXPECT_DOUBLE_EQ(axes.across(500, 100), 0.6);
  const std::vector<std::pair<double, Pulls>> all{{0, 100}, {-0.4, 0}, {0.6, 500}};
  EXPECT_EQ(axes.tics(100, 400), all);
  const std::vector<std::pair<double, Pulls>> narrow{{0, 10}, {0.6, 410}};
  EXPECT_EQ(axes.tics(10, 400), narrow) << "0 would be too near to 10";
  const std::vector<std::pair<double, Pulls>> expensive{{0, 100}, {-0.4, 0}, {0.3, 300}};
  EXPECT_EQ(axes.tics(100, 200), expensive) << "an arm of twice the cost ends in the middle of the future";
  const std::vector<std::pair<double, Pulls>> last{{0, 100}, {-0.4, 0}};
  EXPECT_EQ(axes.tics(100, 10), last) << "110 would be too near to 100";
}

}  // namespace
}  // namespace longrun
