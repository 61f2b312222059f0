#include "longrun/report/advice/backtest_page.h"

#include <gtest/gtest.h>

#include "longrun/report/advice/backtest_json.h"
#include "longrun/report/advice/backtest_report.h"
#include "tests/page_data.h"
#include "tests/simulated_log.h"

namespace longrun {
namespace {

TEST(BacktestPage, HasTheConclusionsThePoliciesAndTheCurves) {
  const BacktestSpec spec{.history = column_log(three_hills(Gaussian{.sd = 0.1}), 1, 60),
                          .horizon = 600,
                          .policies = {PolicyChoice("spo"), PolicyChoice("ucb")},
                          .replicates = 20,
                          .resamples = 20,
                          .seed = 3};
  const Backtest result = backtest(spec);
  const AdvicePage page = backtest_page(spec, result, {.command = "c", .history_file = "log.csv", .history = "x"});
  EXPECT_EQ(page.title, "Backtest on log.csv");
  EXPECT_EQ(page.answer, backtest_json(spec, result));
  const std::string html = make_advice_page(page);
  expect_self_contained(html);
  expect_whole(html);
  const PageData data(html);
  ASSERT_EQ(data.size("/sections"), 7U) << "with a caution: the horizon is longer than the log";
  EXPECT_EQ(data.text("/sections/0/lead"), backtest_conclusions(spec, result).at(0));
  EXPECT_EQ(data.texts("/sections/1/blocks/0/sentences"), backtest_warnings(spec, result));
  ASSERT_EQ(data.size("/sections/2/rows"), result.rows.size());
  for (std::size_t i = 0; i < result.rows.size(); ++i) {
    const std::string row = "/sections/2/rows/" + std::to_string(i);
    EXPECT_NEAR(data.number(row + "/low"), result.rows[i].reward.interval->low, 1e-4);
    EXPECT_EQ(data.flag(row + "/highlighted"), i == result.best);
    EXPECT_EQ(data.flag("/sections/3/rows/" + std::to_string(i) + "/highlighted"), i == result.best);
  }
  EXPECT_EQ(data.texts("/sections/3/rows/1/cells"), backtest_policy_rows(spec, result).at(2));
  ASSERT_EQ(data.size("/sections/4/charts"), result.arms.size());
  EXPECT_EQ(data.numbers("/sections/4/charts/1/series/0/y").size(), result.arms[1].rewards.size());
  EXPECT_NEAR(data.numbers("/sections/4/charts/1/series/1/y").back(),
              result.bandit.arms[1].reward(result.arms[1].pulls), 1e-4);
  EXPECT_EQ(data.texts("/sections/5/rows/0/cells"), backtest_arm_rows(spec, result).at(1));
  EXPECT_EQ(data.text("/origin/0"), "The seed of all random numbers is 3.");
}

TEST(BacktestPage, ShowsTheArmsThatTheBestPolicyPullsMostAndCountsTheOthers) {
  Bandit bandit{.name = "many", .arm_names = {}, .arms = {}, .noise = Gaussian{.sd = 0.02}, .recorded_noise = nullptr};
  for (int arm = 0; arm < 250; ++arm) {
    bandit.arm_names.push_back("item " + std::to_string(arm));
    bandit.arms.emplace_back(Constant{arm == 237 ? 0.9 : 0.2});
  }
  const BacktestSpec spec{.history = column_log(bandit, 4, 5),
                          .horizon = 300,
                          .policies = {PolicyChoice("greedy")},
                          .replicates = 1,
                          .resamples = 0};
  const Backtest result = backtest(spec);
  const PageData data(
      make_advice_page(backtest_page(spec, result, {.command = "c", .history_file = "log.csv", .history = "x"})));
  ASSERT_EQ(data.size("/sections/4/charts"), 24U);
  EXPECT_EQ(data.text("/sections/4/charts/23/title"), "item 237");
  EXPECT_EQ(data.text("/sections/4/notes/2"), "The 24 of 250 arms that greedy pulls most have a picture.");
  ASSERT_EQ(data.size("/sections/5/rows"), 200U);
  EXPECT_EQ(data.text("/sections/5/notes/0"),
            "These are the arms that greedy pulls most; 50 more arms are only in the JSON.");
}

}  // namespace
}  // namespace longrun
