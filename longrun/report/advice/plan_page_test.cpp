#include "longrun/report/advice/plan_page.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "longrun/report/advice/plan_json.h"
#include "longrun/simulate/plan/plan_text.h"
#include "tests/page_data.h"

namespace longrun {
namespace {

PlanQuestion two_shops(Pulls horizon) {
  PlanQuestion asked{.question = {.history = {.arm_names = {"<b>tea", "coffee"}, .pulls = {}}, .horizon = horizon},
                     .futures = 100};
  for (int pull = 0; pull < 30; ++pull) {
    asked.question.history.pulls.push_back({.arm = pull % 2, .reward = 0.3 + 0.3 * (pull % 2) + 0.02 * (pull * 7 % 5)});
  }
  return asked;
}

TEST(PlanPage, HasTheSentencesTheCoursesAndTheArms) {
  PlanQuestion asked = two_shops(90);
  asked.compare = {{.name = "minimum-share 0.3", .constraints = {.minimum_share = {.every = 0.3}}}};
  asked.seed = 4;
  const Plan answer = plan(asked);
  const AdvicePage page = plan_page(asked, answer, {.command = "c", .history_file = "log.csv", .history = "x"});
  EXPECT_EQ(page.title, "Plan for log.csv");
  EXPECT_EQ(page.answer, plan_json(asked, answer));
  const std::string html = make_advice_page(page);
  expect_self_contained(html);
  expect_whole(html);
  const PageData data(html);
  ASSERT_EQ(data.size("/sections"), 6U);
  EXPECT_EQ(data.text("/sections/0/lead"), what_is_earned(asked, answer).at(0));
  EXPECT_EQ(data.texts("/sections/0/blocks/1/sentences"), what_constraints_cost(asked, answer));
  ASSERT_EQ(data.size("/sections/1/rows"), answer.courses.size());
  EXPECT_NEAR(data.number("/sections/1/rows/1/value"), answer.courses[1].total.mean, 1e-3);
  EXPECT_TRUE(data.flag("/sections/1/rows/0/highlighted"));
  EXPECT_FALSE(data.flag("/sections/1/rows/1/highlighted"));
  EXPECT_EQ(data.texts("/sections/2/rows/1/cells").at(2), range_text(answer.courses[1].loss));
  EXPECT_EQ(data.texts("/sections/2/notes"), plan_notes(asked, answer));
  EXPECT_EQ(data.text("/sections/3/rows/0/label"), "<b>tea");
  EXPECT_EQ(data.texts("/sections/4/rows/1/cells"),
            (std::vector<std::string>{"coffee", "15", range_text(answer.arms[1].next_round),
                                      range_text(answer.arms[1].rest)}));
  EXPECT_EQ(data.text("/sections/5/facts/1/sentences/0"), "90 pulls in total: 30 pulls are made, 60 pulls left.");
  EXPECT_EQ(data.text("/origin/0"), "The seed of the futures is 4.");
}

TEST(PlanJson, NamesArmsByLabelsAndHasDecimals) {
  PlanQuestion asked = two_shops(0);
  asked.question.constraints = Constraints::with_decimals(1);
  asked.question.constraints.costs.named = {{1, 15}};
  asked.question.horizon = 705;
  asked.question.unavailable_now = {0};
  const std::string page =
      R"(<script type="application/json" id="data">)" + plan_json(asked, plan(asked)) + "</script>";
  const PageData data(page);
  EXPECT_EQ(data.number("/horizon"), 70.5);
  EXPECT_EQ(data.text("/constraints/costs"), "coffee:1.5");
  EXPECT_EQ(data.json("/unavailable_now"), R"([{"arm":0,"name":"<b>tea"}])");
}

}  // namespace
}  // namespace longrun
