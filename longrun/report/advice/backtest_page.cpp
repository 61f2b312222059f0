#include "longrun/report/advice/backtest_page.h"

#include <fmt/format.h>

#include <algorithm>

#include "longrun/model/arm_labels.h"
#include "longrun/report/advice/backtest_json.h"
#include "longrun/report/advice/backtest_report.h"
#include "longrun/report/advice/question_text.h"

namespace longrun {
namespace {

constexpr std::size_t kMostFittedCharts = 24;
constexpr std::size_t kMostFittedRows = 200;  // rows of the table; the JSON has all arms
constexpr std::size_t kMostRewardsShown = 200;
constexpr Pulls kMostFittedPoints = 100;

PageRanges policies_section(const Backtest& result) {
  const bool intervals = result.rows[0].reward.interval.has_value();
  PageRanges section{.heading = "Reward of each policy",
                     .notes = {},
                     .title = intervals ? "mean reward per pull, with its 80 % interval" : "mean reward per pull"};
  for (std::size_t i = 0; i < result.rows.size(); ++i) {
    const LogEstimate& reward = result.rows[i].reward;
    const LogInterval interval = reward.range();
    section.rows.push_back({result.rows[i].name, reward.value, interval.low, interval.high, i == result.best});
  }
  return section;
}

/// Returns a table from rows of cells, the headings first. All columns but the first are numbers.
PageTable made_table(std::string heading, std::vector<std::vector<std::string>> rows, std::size_t highlighted) {
  PageTable section{.heading = std::move(heading), .columns = {}, .rows = {}};
  for (std::string& name : rows.at(0)) section.columns.push_back({std::move(name), !section.columns.empty()});
  for (std::size_t i = 1; i < rows.size(); ++i)
    section.rows.push_back({.cells = std::move(rows[i]), .highlighted = i == highlighted});
  return section;
}

/// The chart of one arm of the log.
PageChart fitted_chart(const BacktestSpec& spec, const LoggedArm& arm, const Curve& curve) {
  PageChart chart{.title = label_of(spec.history.arm_names, arm.arm),
                  .note = fmt::format("{} {}", arm.made, arm.made == 1 ? "pull" : "pulls")};
  PageSeries dots{.label = "logged rewards", .mark = PageMark::dots, .colour = PageColour::grey};
  const std::size_t step = (arm.rewards.size() - 1) / kMostRewardsShown + 1;
  for (std::size_t i = 0; i < arm.rewards.size(); i += step) {
    dots.x.push_back(static_cast<double>(arm.rewards[i].pull));
    dots.y.push_back(spec.scale.from_unit(arm.rewards[i].reward));
  }
  PageSeries fitted{.label = "fitted curve", .colour = PageColour::green};
  const auto add = [&](Pulls pull) {
    fitted.x.push_back(static_cast<double>(pull));
    fitted.y.push_back(spec.scale.from_unit(curve.reward(pull)));
  };
  for (Pulls pull = 1; pull < arm.pulls; pull += (arm.pulls - 1) / kMostFittedPoints + 1) add(pull);
  add(arm.pulls);
  chart.series = {std::move(dots), std::move(fitted)};
  return chart;
}

PageCharts fitted_section(const BacktestSpec& spec, const Backtest& result) {
  PageCharts section{.heading = "The fitted curves",
                     .notes = {backtest_noise(spec, result), "All pictures have the same axes."},
                     .x_title = "pull",
                     .y_title = "reward"};
  const std::vector<std::size_t> arms = most_pulled_arms(result, kMostFittedCharts);
  double last = 1;
  double lowest = spec.scale.maximum;
  double highest = spec.scale.minimum;
  for (const std::size_t i : arms) {
    section.charts.push_back(fitted_chart(spec, result.arms[i], result.bandit.arms[i]));
    last = std::max(last, static_cast<double>(result.arms[i].pulls));
    for (const PageSeries& series : section.charts.back().series) {
      for (const double reward : series.y) {
        lowest = std::min(lowest, reward);
        highest = std::max(highest, reward);
      }
    }
  }
  const double margin = 0.04 * std::max(highest - lowest, 0.01 * spec.scale.range());
  for (PageChart& chart : section.charts) {
    chart.x_range = {0, last};
    chart.y_range = {lowest - margin, highest + margin};
  }
  if (arms.size() < result.arms.size()) {
    section.notes.push_back(fmt::format("The {} of {} arms that {} pulls most have a picture.", arms.size(),
                                        result.arms.size(), result.rows[result.best].name));
  }
  return section;
}

PageTable fitted_table(const BacktestSpec& spec, const Backtest& result) {
  std::vector<std::vector<std::string>> all = backtest_arm_rows(spec, result);
  std::vector<std::vector<std::string>> rows{std::move(all[0])};
  for (const std::size_t arm : most_pulled_arms(result, kMostFittedRows)) rows.push_back(std::move(all[arm + 1]));
  const std::size_t left_out = all.size() - rows.size();
  PageTable table = made_table("The fitted curves in numbers", std::move(rows), 0);
  if (left_out == 0) return table;
  table.notes.push_back(fmt::format("These are the arms that {} pulls most; {} more arms are only in the JSON.",
                                    result.rows[result.best].name, left_out));
  return table;
}

PageFacts log_section(const BacktestSpec& spec, const Backtest& result, const PageOrigin& origin) {
  PageFacts section{
      .heading = "The question",
      .facts = {{"Log",
                 {fmt::format("{}: {} pulls of {} arms.", origin.history_file, result.log_pulls, spec.history.arms())}},
                {"Horizon", {fmt::format("{} pulls in each simulated run.", result.horizon)}},
                {"Rewards", {scale_text(spec.scale)}},
                {"Choices",
                 {spec.random_choices ? "The arms of the log are said to be chosen uniformly at random."
                                      : "Nothing is assumed about how the arms of the log were chosen."}}}};
  if (!spec.history.warnings.empty()) section.facts.emplace_back("Warnings", spec.history.warnings);
  return section;
}

}  // namespace

AdvicePage backtest_page(const BacktestSpec& spec, const Backtest& result, PageOrigin origin) {
  std::vector<std::string> conclusions = backtest_conclusions(spec, result);
  PageText lead{.heading = "", .tone = PageTone::advice, .lead = conclusions.at(0)};
  conclusions.erase(conclusions.begin());
  lead.blocks.push_back({.heading = "", .sentences = std::move(conclusions)});
  AdvicePage page{.title = fmt::format("Backtest on {}", origin.history_file),
                  .about = "Policies compared by simulation on a bandit that is fitted to a log of past pulls.",
                  .sections = {std::move(lead)},
                  .origin = {},
                  .answer = backtest_json(spec, result)};
  if (std::vector<std::string> warnings = backtest_warnings(spec, result); !warnings.empty()) {
    page.sections.emplace_back(PageText{.heading = "What the log does not support",
                                        .tone = PageTone::caution,
                                        .blocks = {{.heading = "", .sentences = std::move(warnings), .listed = true}}});
  }
  page.sections.emplace_back(policies_section(result));
  PageTable policies = made_table("The policies in numbers", backtest_policy_rows(spec, result), result.best + 1);
  policies.notes.push_back(backtest_meaning(spec, result));
  page.sections.emplace_back(std::move(policies));
  page.sections.emplace_back(fitted_section(spec, result));
  page.sections.emplace_back(fitted_table(spec, result));
  page.sections.emplace_back(log_section(spec, result, origin));
  origin.sentences.push_back(fmt::format("The seed of all random numbers is {}.", spec.seed));
  page.origin = std::move(origin);
  return page;
}

}  // namespace longrun
