#include "longrun/report/advice/recommendation_page.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <random>

#include "longrun/decide/advice/explanation.h"
#include "longrun/report/advice/arm_panels.h"
#include "longrun/report/advice/recommendation_json.h"
#include "longrun/report/advice/recommendation_text.h"
#include "tests/page_data.h"

namespace longrun {
namespace {

/// Returns pulls of arms in turn. The rewards of an arm rise to a level that grows with its position.
Question pulled_in_turn(int arms, int pulls, Pulls horizon) {
  Question question{.history = {.arm_names = {}, .pulls = {}}, .horizon = horizon};
  for (int arm = 0; arm < arms; ++arm) question.history.arm_names.push_back(fmt::format("item {}", arm + 1));
  for (int pull = 0; pull < pulls; ++pull) {
    const int arm = pull % arms;
    const double level = 0.2 + 0.5 * arm / arms;
    const double noise = 0.01 * (pull * 7 % 5 - 2);
    const int round = pull / arms;
    question.history.pulls.push_back({.arm = arm, .reward = level * (1 - 1 / (2.0 + round)) + noise, .line = pull + 2});
  }
  return question;
}

/// The sections of a page, by their kind.
struct Sections {
  explicit Sections(const AdvicePage& page) {
    for (const PageSection& section : page.sections) {
      if (const auto* part = std::get_if<PageText>(&section)) texts.push_back(*part);
      if (const auto* part = std::get_if<PageFacts>(&section)) facts.push_back(*part);
      if (const auto* part = std::get_if<PageTable>(&section)) tables.push_back(*part);
      if (const auto* part = std::get_if<PageCharts>(&section)) charts.push_back(*part);
    }
  }
  /// Returns the sentences of a fact.
  std::vector<std::string> fact(const std::string& term) const {
    for (const PageFacts& section : facts) {
      for (const auto& [name, sentences] : section.facts) {
        if (name == term) return sentences;
      }
    }
    return {};
  }

  std::vector<PageText> texts;
  std::vector<PageFacts> facts;
  std::vector<PageTable> tables;
  std::vector<PageCharts> charts;
};

PageOrigin made_origin() { return {.command = "longrun recommend", .history_file = "log.csv", .history = "arm\n"}; }

TEST(NoiseText, IsTheEstimateFromTheRewardsAndWhatThePolicyUses) {
  std::mt19937_64 random(4);
  for (const double sd : {20.0, 20'000.0}) {
    std::normal_distribution<double> noise(0, sd);
    Question question{.history = {.arm_names = {"a", "b"}, .pulls = {}}, .horizon = 2'000, .scale = {0, 200'000}};
    for (int pull = 0; pull < 900; ++pull) question.history.pulls.push_back({pull % 2, 90'000 + noise(random)});
    const Recommendation answer = recommend(question);
    ASSERT_TRUE(answer.sd_of_rewards);
    EXPECT_NEAR(*answer.sd_of_rewards, sd, 0.1 * sd);
    const std::string text = noise_text(question, answer);
    EXPECT_TRUE(text.starts_with("The noise has standard deviation " +
                                 reward_difference_text(question.scale, *answer.sd_of_rewards) + ", estimated"))
        << text;
    EXPECT_EQ(text.find("the policy uses") != std::string::npos, sd == 20) << text;
  }
}

TEST(RecommendationPage, SaysWhatTheLibrarySays) {
  const Question question = pulled_in_turn(4, 80, 200);
  const Recommendation answer = recommend(question);
  const AdvicePage page = recommendation_page(question, answer, made_origin());
  const Sections sections(page);
  EXPECT_EQ(page.title, "Advice for log.csv");
  EXPECT_EQ(page.answer, recommendation_json(question, answer));
  ASSERT_EQ(sections.texts.size(), 1U) << "no cautions";
  EXPECT_EQ(sections.texts[0].lead, what_to_do(question, answer));
  EXPECT_EQ(sections.texts[0].blocks.at(0).sentences, why(question, answer));
  EXPECT_EQ(sections.texts[0].blocks.at(1).sentences, what_would_change(question, answer));
  EXPECT_EQ(sections.fact("History"), std::vector<std::string>{"log.csv: 80 pulls of 4 arms."});
  EXPECT_EQ(sections.fact("Horizon"), std::vector<std::string>{"200 pulls in total: 80 pulls are made, 120 remain."});
  EXPECT_EQ(sections.fact("Rewards"), std::vector<std::string>{"Mean rewards lie between 0 and 1."});
  EXPECT_EQ(sections.fact("Constraints"), std::vector<std::string>{"None."});
  EXPECT_EQ(sections.fact("Noise"), std::vector<std::string>{noise_text(question, answer)});
  EXPECT_EQ(sections.fact("Pending rewards"), std::vector<std::string>{"None."});
  EXPECT_EQ(sections.fact("Outliers"), std::vector<std::string>{"No reward looks like a mistake."});
  EXPECT_EQ(page.origin.sentences, std::vector<std::string>{"The seed of randomized policies is 0."});
}

TEST(RecommendationPage, HasTheTableAndAChartOfEveryArm) {
  const Question question = pulled_in_turn(4, 80, 200);
  const Recommendation answer = recommend(question);
  const Sections sections(recommendation_page(question, answer, made_origin()));
  ASSERT_EQ(sections.charts.at(0).charts.size(), 4U);
  ASSERT_EQ(sections.tables.at(0).rows.size(), 4U);
  for (std::size_t i = 0; i < 4; ++i) {
    const auto arm = static_cast<Arm>(i);
    const PageTable::Row& row = sections.tables[0].rows[i];
    EXPECT_EQ(row.cells.size(), sections.tables[0].columns.size());
    EXPECT_EQ(row.cells.at(0), fmt::format("item {}", i + 1));
    EXPECT_EQ(row.cells.at(1), "20");
    EXPECT_EQ(row.cells.at(3), fmt::format("{}", answer.arms[i].reward_now->pulls)) << "of last";
    EXPECT_EQ(row.cells.at(5), arm_row(question, answer, arm).expected);
    EXPECT_EQ(row.highlighted, arm == answer.next.first);
    const PageChart& chart = sections.charts[0].charts[i];
    EXPECT_EQ(chart.title, row.cells[0]);
    EXPECT_EQ(chart.highlighted, row.highlighted);
    ASSERT_EQ(chart.series.size(), 4U) << "rewards, means, expected rewards, upper bound";
    EXPECT_EQ(chart.series[0].y.size(), 20U);
    EXPECT_EQ(chart.series[0].y[3], question.history.pulls[i + 12].reward);
    EXPECT_EQ(chart.series[0].stated_x[3], 4);
    EXPECT_LE(chart.series[0].x.back(), 0) << "the past is left of the present";
    EXPECT_GE(chart.series[2].x.front(), 0);
    EXPECT_EQ(chart.series[2].stated_x.back(), static_cast<double>(answer.arms[i].expected_course.back().pull));
    EXPECT_EQ(chart.series[2].high.size(), answer.arms[i].expected_course.size());
    EXPECT_EQ(chart.series[3].y.back(), answer.arms[i].upper_bound.back().reward);
    for (const PageSeries& series : chart.series) {
      EXPECT_EQ(series.x.size(), series.y.size());
      EXPECT_TRUE(std::is_sorted(series.x.begin(), series.x.end())) << series.label;
      for (const double x : series.x) EXPECT_TRUE(chart.x_range.first <= x && x <= chart.x_range.second) << x;
    }
  }
}

TEST(RecommendationPage, OfManyArmsShowsThoseThatMatter) {
  const Question question = pulled_in_turn(300, 1200, 3000);
  const Recommendation answer = recommend(question);
  const Sections sections(recommendation_page(question, answer, made_origin()));
  EXPECT_EQ(sections.charts.at(0).charts.size(), kMostPanels);
  EXPECT_EQ(sections.tables.at(0).rows.size(), 200U);
  EXPECT_TRUE(sections.tables[0].rows[0].highlighted) << "the next arm is first";
  EXPECT_EQ(sections.tables[0].notes.back(), "100 more arms are only in the JSON.");
  EXPECT_EQ(sections.charts[0].notes.back(),
            "24 of 300 arms have a picture: those to pull next and those with the highest indices.");
}

TEST(RecommendationPage, StatesOutliersPendingRewardsAndWarnings) {
  Question question = pulled_in_turn(2, 80, 200);
  question.history.pulls[41].reward = 1;
  question.history.pulls.back().reward.reset();
  question.history.warnings = {"log.csv: a warning"};
  const Recommendation answer = recommend(question);
  ASSERT_EQ(answer.outliers.size(), 1U);
  const Sections sections(recommendation_page(question, answer, made_origin()));
  ASSERT_EQ(sections.texts.size(), 2U);
  EXPECT_EQ(sections.texts[1].heading, "Cautions");
  EXPECT_EQ(sections.texts[1].blocks.at(0).sentences, cautions(question, answer));
  EXPECT_EQ(
      sections.fact("Outliers"),
      std::vector<std::string>{"1 reward looks like a mistake and is counted as typical there; see the cautions."});
  EXPECT_EQ(sections.fact("Pending rewards"), std::vector<std::string>{pending_text(question, answer)});
  EXPECT_EQ(sections.fact("Warnings"), question.history.warnings);
  question.keep_outliers = true;
  EXPECT_EQ(Sections(recommendation_page(question, recommend(question), made_origin())).fact("Outliers"),
            std::vector<std::string>{"Rewards that look like mistakes count as they are."});
}

TEST(RecommendationPage, StatesArmsThatContradictTheAssumption) {
  Question question{.history = {.arm_names = {"a", "b"}, .pulls = {}}, .horizon = 400};
  for (int pull = 0; pull < 200; ++pull) {  // arm a stays low for long and then grows fast
    const double rising = pull < 120 ? 0.2 : 0.2 + 0.008 * (pull - 120);
    const double noise = 0.01 * (pull / 2 * 7 % 5 - 2);
    question.history.pulls.push_back({.arm = pull % 2, .reward = (pull % 2 == 0 ? rising : 0.3) + noise});
  }
  const Recommendation answer = recommend(question);
  ASSERT_TRUE(answer.arms[0].misfit);
  ASSERT_FALSE(answer.arms[1].misfit);
  const Sections sections(recommendation_page(question, answer, made_origin()));
  EXPECT_TRUE(sections.fact("Assumption").at(0).starts_with("The rewards of 1 arm contradict "))
      << sections.fact("Assumption").at(0);
  EXPECT_TRUE(sections.tables.at(0).rows.at(0).cells.back().ends_with('?'));
  EXPECT_EQ(sections.tables[0].notes.back(), "An upper bound with a question mark may not hold: see the cautions.");
}

TEST(RecommendationPage, StatesThatAllArmsStepTogether) {
  Question question = pulled_in_turn(4, 160, 400);
  for (std::size_t pull = 120; pull < 160; ++pull) *question.history.pulls[pull].reward -= 0.15;
  EXPECT_EQ(
      Sections(recommendation_page(question, recommend(question), made_origin())).fact("Assumption").at(0),
      "The rewards of 4 of 4 arms step at the same place of the log, which their own pulls do not explain; see the "
      "cautions.");
}

TEST(RecommendationPage, WithoutRewardsHasNoCharts) {
  const Question question{.history = {.arm_names = {"a", "b"}, .pulls = {}}, .horizon = 10};
  PageOrigin origin = made_origin();
  origin.history.reset();
  const AdvicePage page = recommendation_page(question, recommend(question), origin);
  const Sections sections(page);
  EXPECT_EQ(page.title, "Advice for a first pull");
  EXPECT_TRUE(sections.charts.empty());
  EXPECT_EQ(sections.fact("History"), std::vector<std::string>{"None: the first pull of 2 arms is asked for."});
  expect_self_contained(make_advice_page(page));
}

TEST(RecommendationPage, YesOrNoRewardsHaveNoDots) {
  Question question = pulled_in_turn(2, 80, 200);
  for (std::size_t i = 0; i < question.history.pulls.size(); ++i) question.history.pulls[i].reward = i % 9 == 0 ? 1 : 0;
  const Sections sections(recommendation_page(question, recommend(question), made_origin()));
  for (const PageChart& chart : sections.charts.at(0).charts) {
    for (const PageSeries& series : chart.series) EXPECT_NE(series.mark, PageMark::dots);
  }
}

}  // namespace
}  // namespace longrun
