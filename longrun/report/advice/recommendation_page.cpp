#include "longrun/report/advice/recommendation_page.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "longrun/base/text.h"
#include "longrun/decide/advice/explanation.h"
#include "longrun/model/arm_labels.h"
#include "longrun/policy/catalog.h"
#include "longrun/report/advice/arm_panels.h"
#include "longrun/report/advice/question_text.h"
#include "longrun/report/advice/recommendation_json.h"
#include "longrun/report/advice/recommendation_text.h"

namespace longrun {
namespace {

constexpr std::size_t kMostRows = 200;         // of the table; the JSON has all arms
constexpr std::size_t kMostDotsInChart = 200;  // rewards in a chart; more would cover each other

std::string counted(std::size_t count, std::string_view thing) {
  return fmt::format("{} {}{}", count, thing, count == 1 ? "" : "s");
}

PageText advice_section(const Question& question, const Recommendation& answer) {
  PageText section{.heading = "",
                   .tone = PageTone::advice,
                   .lead = what_to_do(question, answer),
                   .blocks = {{.heading = "Why", .sentences = why(question, answer)}}};
  if (!answer.next.arms.empty()) {
    section.blocks.push_back(
        {.heading = "What would change the choice", .sentences = what_would_change(question, answer), .listed = true});
  }
  return section;
}

// ---- charts

/// The chart of one arm.
class ArmChart {
 public:
  ArmChart(const Question& question, const Recommendation& answer, const PanelAxes& axes, const ArmMeans& means,
           Arm arm)
      : question_(question),
        axes_(axes),
        means_(means),
        arm_(arm),
        report_(answer.arms[static_cast<std::size_t>(arm)]),
        highlighted_(is_next(answer, arm)) {}

  PageChart chart(bool with_dots) const {
    PageChart chart{.title = label_of(question_.history.arm_names, arm_),
                    .note = report_.trend ? trend_text(*report_.trend)
                                          : (report_.pulls > 0 ? "no reward known yet" : "not pulled yet"),
                    .highlighted = highlighted_,
                    .x_range = {-axes_.past_width, 1 - axes_.past_width},
                    .y_range = {axes_.lowest, axes_.highest},
                    .now = 0};
    for (const auto& [place, pull] : axes_.tics(report_.pulls, report_.remaining))
      chart.x_tics.emplace_back(place, std::to_string(pull));
    if (with_dots && !means_.rewards().empty()) chart.series.push_back(dots());
    if (!means_.outliers().empty()) chart.series.push_back(outliers());
    if (!means_.blocks().empty()) chart.series.push_back(means());
    if (!report_.expected_course.empty()) chart.series.push_back(expected());
    if (!report_.upper_bound.empty()) chart.series.push_back(bound());
    return chart;
  }

 private:
  void add(PageSeries& series, double pull, double reward) const {
    series.x.push_back(axes_.across(pull, report_.pulls));
    series.stated_x.push_back(pull);
    series.y.push_back(reward);
  }

  PageSeries dots() const {
    PageSeries series{.label = "rewards", .mark = PageMark::dots, .colour = PageColour::grey};
    const std::vector<double>& rewards = means_.rewards();
    const std::size_t step = (rewards.size() - 1) / kMostDotsInChart + 1;
    for (std::size_t i = 0; i < rewards.size(); i += step)
      add(series, static_cast<double>(means_.pulls()[i]), rewards[i]);
    return series;
  }

  PageSeries means() const {
    PageSeries series{.label = "means of past rewards, with 2 standard errors"};
    for (const auto& [pull, mean, low, high] : means_.blocks()) {
      add(series, pull, mean);
      series.low.push_back(low);
      series.high.push_back(high);
    }
    return series;
  }

  PageSeries outliers() const {
    PageSeries series{.label = "looks like a mistake (at the edge if it is outside)",
                      .mark = PageMark::dots,
                      .colour = PageColour::orange};
    for (const auto& [pull, reward] : means_.outliers())
      add(series, static_cast<double>(pull), std::clamp(reward, axes_.lowest, axes_.highest));
    return series;
  }

  PageSeries expected() const {
    PageSeries series{.label = "expected rewards, with their 80 % range", .colour = PageColour::green};
    for (const auto& [pull, reward] : report_.expected_course) {
      add(series, static_cast<double>(pull), reward.mean);
      series.low.push_back(reward.low);
      series.high.push_back(reward.high);
    }
    return series;
  }

  PageSeries bound() const {
    PageSeries series{.label = "upper bound", .mark = PageMark::dashes, .colour = PageColour::blue};
    for (const FuturePull& pull : report_.upper_bound) add(series, static_cast<double>(pull.pull), pull.reward);
    return series;
  }

  const Question& question_;
  const PanelAxes& axes_;
  const ArmMeans& means_;
  Arm arm_;
  const ArmReport& report_;
  bool highlighted_;
};

PageCharts chart_section(const Question& question, const Recommendation& answer) {
  PageCharts section{
      .heading = "The arms in pictures",
      .notes = {"The past is left of the vertical line and the future right of it, on separate scales. The numbers "
                "below a picture are the arm's pulls at the beginning, now and, if the rest of the budget goes to it, "
                "at the end. All pictures have the "
                "same axis of rewards."},
      .x_title = "pull",
      .y_title = "reward",
      .highlight = "next"};
  const std::vector<ArmMeans> means = means_of(question, answer);
  const PanelAxes axes = axes_of(question, answer, means);
  const std::vector<Arm> arms = arms_with_panel(answer);
  const bool with_dots =
      !rewards_are_yes_or_no(question.history, question.scale);  // two rows of dots would say nothing
  for (const Arm arm : arms) {
    const ArmChart chart(question, answer, axes, means[static_cast<std::size_t>(arm)], arm);
    section.charts.push_back(chart.chart(with_dots));
  }
  if (arms.size() < answer.arms.size()) {
    section.notes.push_back(
        fmt::format("{} of {} arms have a picture: those to pull next and those with the highest indices.", arms.size(),
                    answer.arms.size()));
  }
  return section;
}

// ---- table

PageTable table_section(const Question& question, const Recommendation& answer) {
  PageTable section{.heading = "The arms in numbers",
                    .columns = {{"arm"},
                                {"pulls", true},
                                {"reward now", true},
                                {"of last", true},
                                {"trend"},
                                {"expected (80 %)", true},
                                {"learning", true},
                                {"upper bound", true}},
                    .rows = {},
                    .notes = table_meaning(question, answer)};
  if (answer.costs_differ) section.columns.insert(section.columns.begin() + 2, {"left", true});
  const std::vector<Arm> arms = arms_in_table(answer, kMostRows);
  bool misfits = false;
  for (const Arm arm : arms) {
    const ArmRow row = arm_row(question, answer, arm);
    section.rows.push_back({.cells = {row.label, row.pulls, replaced(row.reward_now, "+-", "\u00b1"), row.of_last,
                                      row.trend, row.expected, row.learning, row.upper_bound},
                            .highlighted = is_next(answer, arm)});
    if (answer.costs_differ) {
      auto& cells = section.rows.back().cells;
      cells.insert(cells.begin() + 2, row.remaining);
    }
    misfits = misfits || answer.arms[static_cast<std::size_t>(arm)].misfit.has_value();
  }
  if (misfits) section.notes.emplace_back("An upper bound with a question mark may not hold: see the cautions.");
  if (arms.size() < answer.arms.size()) {
    section.notes.push_back(fmt::format("{} more arms are only in the JSON.", answer.arms.size() - arms.size()));
  }
  return section;
}

// ---- question and data

std::string horizon_sentence(const Question& question, const Recommendation& answer) {
  const std::string made = answer.made == 1 ? "1 pull is made" : fmt::format("{} pulls are made", answer.made);
  if (question.constraints.none()) {
    return fmt::format("{} in total: {}, {} remain.", horizon_text(question), made, answer.remaining);
  }
  return fmt::format("{} in total: {}, and the rest pays for at most {} more.", horizon_text(question), made,
                     answer.remaining);
}

PageFacts question_section(const Question& question, const Recommendation& answer, const PageOrigin& origin) {
  PageFacts section{.heading = "The question", .facts = {}};
  const auto arms = static_cast<std::size_t>(question.history.arms());
  section.facts.push_back(
      {"History",
       {origin.history ? fmt::format("{}: {} of {}.", origin.history_file,
                                     counted(question.history.pulls.size(), "pull"), counted(arms, "arm"))
                       : fmt::format("None: the first pull of {} is asked for.", counted(arms, "arm"))}});
  section.facts.push_back({"Horizon", {horizon_sentence(question, answer)}});
  section.facts.push_back({"Rewards", {scale_text(question.scale)}});
  section.facts.push_back(
      {"Policy", {fmt::format("{} ({}).", answer.policy, PolicyChoice(answer.policy).entry().summary)}});
  std::vector<std::string> constraints = constraint_sentences(question);
  if (constraints.empty()) constraints.emplace_back("None.");
  section.facts.emplace_back("Constraints", std::move(constraints));
  return section;
}

std::string outlier_text(const Question& question, const Recommendation& answer) {
  if (question.keep_outliers) return "Rewards that look like mistakes count as they are.";
  const auto look = [](std::size_t rewards) {
    return fmt::format("{} like {}", rewards == 1 ? "1 reward looks" : fmt::format("{} rewards look", rewards),
                       rewards == 1 ? "a mistake" : "mistakes");
  };
  const std::size_t doubtful = answer.doubtful.size();
  std::vector<std::string> texts;
  if (!answer.outliers.empty()) {
    texts.push_back(fmt::format("{} and {} counted as typical there", look(answer.outliers.size()),
                                answer.outliers.size() == 1 ? "is" : "are"));
  }
  if (doubtful > 0)
    texts.push_back(fmt::format("{} and {} as {}", look(doubtful), doubtful == 1 ? "counts" : "count",
                                doubtful == 1 ? "it is" : "they are"));
  return texts.empty() ? "No reward looks like a mistake."
                       : fmt::format("{}; see the cautions.", fmt::join(texts, "; "));
}

std::string fit_text(const Recommendation& answer) {
  const auto misfits = static_cast<std::size_t>(std::count_if(
      answer.arms.begin(), answer.arms.end(), [](const ArmReport& arm) { return arm.misfit.has_value(); }));
  const char* assumption = "the assumption that rewards rise ever more slowly and then may fall";
  if (answer.step) {
    return fmt::format(
        "The rewards of {} of {} arms step at the same place of the log, which their own pulls do not "
        "explain; see the cautions.",
        answer.step->arms, answer.arms.size());
  }
  if (misfits == 0) return fmt::format("The rewards of no arm contradict {}.", assumption);
  return fmt::format("The rewards of {} contradict {}; see the cautions.", counted(misfits, "arm"), assumption);
}

PageFacts data_section(const Question& question, const Recommendation& answer) {
  PageFacts section{.heading = "The data", .facts = {}};
  section.facts.push_back({"Noise", {noise_text(question, answer)}});
  section.facts.push_back({"Pending rewards", {answer.pending > 0 ? pending_text(question, answer) : "None."}});
  if (const std::string lost = lost_sentence(question.history, answer.made); !lost.empty())
    section.facts.push_back({"Lost rewards", {lost}});
  if (answer.made > answer.pending) {
    section.facts.push_back({"Outliers", {outlier_text(question, answer)}});
    section.facts.push_back({"Assumption", {fit_text(answer)}});
  }
  if (!question.history.warnings.empty()) section.facts.emplace_back("Warnings", question.history.warnings);
  return section;
}

std::string about(const Question& question, const Recommendation& answer) {
  return fmt::format("Which of {} to pull next, why, and what would change the choice. {} of {}{} are made.",
                     counted(static_cast<std::size_t>(question.history.arms()), "arm"), answer.made,
                     question.constraints.none() ? "" : "at most ",
                     counted(static_cast<std::size_t>(answer.made + answer.remaining), "pull"));
}

}  // namespace

AdvicePage recommendation_page(const Question& question, const Recommendation& answer, PageOrigin origin) {
  AdvicePage page{
      .title = origin.history ? fmt::format("Advice for {}", origin.history_file) : "Advice for a first pull",
      .about = about(question, answer),
      .sections = {advice_section(question, answer)},
      .origin = {},
      .answer = recommendation_json(question, answer)};
  if (std::vector<std::string> sentences = cautions(question, answer); !sentences.empty()) {
    page.sections.emplace_back(
        PageText{.heading = "Cautions",
                 .tone = PageTone::caution,
                 .blocks = {{.heading = "", .sentences = std::move(sentences), .listed = true}}});
  }
  if (answer.made > answer.pending) page.sections.emplace_back(chart_section(question, answer));
  page.sections.emplace_back(table_section(question, answer));
  page.sections.emplace_back(question_section(question, answer, origin));
  page.sections.emplace_back(data_section(question, answer));
  origin.sentences.push_back(fmt::format("The seed of randomized policies is {}.", question.seed));
  page.origin = std::move(origin);
  return page;
}

}  // namespace longrun
