#include "longrun/report/advice/arm_panels.h"

#include <gtest/gtest.h>

#include <cmath>

namespace longrun {
namespace {

TEST(ArmMeans, AreThoseOfBlocksOfEquallyManyRewards) {
  ArmMeans means;
  Pulls pull = 0;
  for (const double reward : {1, 1, 1, 1, 1, 1, 3, 3, 3, 3, 3, 3}) means.add(++pull, reward);
  means.finish(0.6);
  ASSERT_EQ(means.blocks().size(), 2U);
  EXPECT_EQ(means.blocks()[0].mean, 1);
  EXPECT_EQ(means.blocks()[1].mean, 3);
  EXPECT_EQ(means.blocks()[0].pull, 3.5) << "the middle of pulls 1 to 6";
  EXPECT_EQ(means.blocks()[1].pull, 9.5);
  EXPECT_DOUBLE_EQ(means.blocks()[0].low, 1 - 2 * 0.6 / std::sqrt(6.0));
  EXPECT_DOUBLE_EQ(means.blocks()[0].high, 1 + 2 * 0.6 / std::sqrt(6.0));
}

TEST(ArmMeans, HaveABandWhereNoRewardIsASuccess) {
  ArmMeans means;
  for (Pulls pull = 1; pull <= 24; ++pull) means.add(pull, pull <= 12 ? 0 : 50);
  means.finish({.minimum = 0, .maximum = 50});
  ASSERT_EQ(means.blocks().size(), 2U);
  EXPECT_EQ(means.blocks()[0].low, 0);
  EXPECT_NEAR(means.blocks()[0].high, 50 * 4 / 16.0, 1e-9) << "of Wilson: z^2 / (n + z^2)";
  EXPECT_NEAR(means.blocks()[1].low, 50 * 12 / 16.0, 1e-9);
  EXPECT_EQ(means.blocks()[1].high, 50);
}

TEST(ArmMeans, OfOneBlockAreALineOverItsPulls) {
  ArmMeans means;
  for (Pulls pull = 3; pull <= 7; ++pull) means.add(pull, pull % 2 == 0 ? 1 : 0);
  means.finish(RewardScale{});
  ASSERT_EQ(means.blocks().size(), 2U);
  EXPECT_EQ(means.blocks()[0].pull, 3);
  EXPECT_EQ(means.blocks()[1].pull, 7);
  EXPECT_EQ(means.blocks()[0].mean, 0.4);
  EXPECT_EQ(means.blocks()[1].mean, 0.4);
  EXPECT_LT(means.blocks()[0].low, 0.2);
}

TEST(ArmMeans, AreThoseOfRewardsAsTheyCount) {
  Question question{.history = {.arm_names = {"a"}, .pulls = {}}, .horizon = 200};
  for (int pull = 0; pull < 60; ++pull) question.history.pulls.push_back({0, 0.2 + 0.01 * (pull * 7 % 5 - 2)});
  const double highest = axes_of(question, recommend(question), means_of(question, recommend(question))).highest;
  question.history.pulls[30].reward = 1.9;
  const Recommendation answer = recommend(question);
  ASSERT_EQ(answer.outliers.size(), 1U);
  const std::vector<ArmMeans> means = means_of(question, answer);
  for (const BlockMean& block : means[0].blocks()) EXPECT_NEAR(block.mean, 0.2, 0.02);
  EXPECT_EQ(means[0].outliers(), (std::vector<std::pair<Pulls, double>>{{31, 1.9}}));
  EXPECT_NEAR(axes_of(question, answer, means).highest, highest, 0.1) << "the mistake does not stretch the axis";
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
