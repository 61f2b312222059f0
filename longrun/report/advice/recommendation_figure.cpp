#include "longrun/report/advice/recommendation_figure.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "longrun/base/palette.h"
#include "longrun/base/write_file.h"
#include "longrun/decide/advice/explanation.h"
#include "longrun/model/arm_labels.h"
#include "longrun/report/advice/arm_panels.h"
#include "longrun/report/gnuplot_script.h"

namespace longrun {
namespace {

constexpr double kManyDigits = 1e5;     // rewards from which the axis would otherwise have powers of ten
constexpr std::size_t kMostDots = 600;  // per panel; more would cover each other

constexpr const char* kChosen = "#d55e00";
constexpr const char* kBound = "#0072b2";
constexpr const char* kExpected = "#009e73";
constexpr const char* kDots = "#8a8a8a";
constexpr const char* kOutliers = "#d55e00";
constexpr const char* kMean = "#333333";

/// The measures of the figure of a recommendation, in inches.
struct RecommendationInches {
  static constexpr PanelInches kPanel{.width = 2.7,
                                      .height = 1.5,
                                      .left = 0.75,  // for the axis and its label
                                      .right = 0.35,
                                      .above = 0.35,  // for its heading
                                      .below = 0.5};
  static constexpr double kLegend = 0.75;  // below all panels
};
constexpr std::size_t kLegendColumns = 2;  // of panels, as wide as the legend needs

/// One panel: its data and the commands that draw it.
class ArmPanel {
 public:
  ArmPanel(const Question& question, const Recommendation& answer, const PanelAxes& axes, const ArmMeans& means,
           Arm arm, std::string file)
      : question_(question),
        answer_(answer),
        axes_(axes),
        means_(means),
        arm_(arm),
        report_(answer.arms[static_cast<std::size_t>(arm)]),
        file_(std::move(file)) {}

  std::string script() const {
    return fmt::format(
               "set border 3 lc rgb '{0}' lw {1}\nset title {2} tc rgb '{0}' font ',9' offset 0,-0.6\n"
               "set xrange [{3:.4f}:{4:.4f}]\nset yrange [{5}:{6}]\nset xtics nomirror tc rgb '#444444' ({7})\n"
               "set ytics nomirror tc rgb '#444444'\nset format y '{8}'\n"
               "set xlabel 'pulls of the arm' tc rgb '#444444' font ',8' offset 0,0.6\n"
               "set ylabel 'reward' tc rgb '#444444' font ',8' offset 1.2,0\n"
               "set arrow 1 from 0, graph 0 to 0, graph 1 nohead lc rgb '#888888' dt (4,4)\n",
               chosen() ? kChosen : "#444444", chosen() ? 2 : 1, quoted_title(title()), -axes_.past_width,
               1 - axes_.past_width, axes_.lowest, axes_.highest, tics(), axes_.highest < kManyDigits ? "%g" : "%.0f") +
           plot(parts()) + "unset arrow 1\n";
  }

  void write_data(const std::string& directory) const {
    if (!means_.rewards().empty()) {
      write_file(path(directory, "rewards"), dots().text());
      write_file(path(directory, "means"), means().text());
    }
    if (!means_.outliers().empty()) write_file(path(directory, "outliers"), outliers().text());
    if (!report_.upper_bound.empty()) write_file(path(directory, "bound"), bound().text());
    if (!report_.expected_course.empty()) write_file(path(directory, "expected"), expected().text());
  }

 private:
  bool chosen() const { return is_next(answer_, arm_); }
  std::string title() const {
    return fmt::format("{}arm {}, {}", chosen() ? "NEXT: " : "", shortened(label_of(question_.history.arm_names, arm_)),
                       report_.trend ? trend_text(*report_.trend) : "not pulled yet");
  }
  std::string path(const std::string& directory, const char* what) const {
    return fmt::format("{}/data/{}.{}.tsv", directory, file_, what);
  }
  std::string data(const char* what) const { return quoted(fmt::format("data/{}.{}.tsv", file_, what)); }

  std::string tics() const {
    std::vector<std::string> texts;
    for (const auto& [place, pull] : axes_.tics(report_.pulls, report_.remaining))
      texts.push_back(fmt::format("'{}' {:.4f}", pull, place));
    return fmt::format("{}", fmt::join(texts, ", "));
  }
  /// Returns the position of a pull as the label of a row.
  std::string across(double pull) const { return fmt::format("{:.5f}", axes_.across(pull, report_.pulls)); }

  std::vector<std::string> parts() const {
    std::vector<std::string> parts;
    if (!means_.rewards().empty()) {
      parts.push_back(fmt::format("{} using 1:2 with points pt 7 ps {} lc rgb '{}'", data("rewards"),
                                  means_.rewards().size() < 50 ? 0.45 : 0.25, kDots));
      parts.push_back(fmt::format("{} using 1:3:4 with filledcurves fc rgb '{}' fs transparent solid 0.25 noborder",
                                  data("means"), kMean));
      parts.push_back(
          fmt::format("{} using 1:2 with linespoints pt 7 ps 0.2 lc rgb '{}' lw 1.2", data("means"), kMean));
    }
    if (!means_.outliers().empty()) {
      parts.push_back(fmt::format("{} using 1:2 with points pt 2 ps 0.8 lc rgb '{}'", data("outliers"), kOutliers));
    }
    if (!report_.expected_course.empty()) {
      parts.push_back(fmt::format("{} using 1:3:4 with filledcurves fc rgb '{}' fs transparent solid 0.25 noborder",
                                  data("expected"), kExpected));
      parts.push_back(fmt::format("{} using 1:2 with lines lc rgb '{}' lw 2", data("expected"), kExpected));
    }
    if (!report_.upper_bound.empty()) {
      parts.push_back(fmt::format("{} using 1:2 with lines lc rgb '{}' lw 2 dt (6,4)", data("bound"), kBound));
    }
    return parts;
  }

  DataFile dots() const {
    DataFile data({"place", "reward"});
    const std::vector<double>& rewards = means_.rewards();
    const std::size_t step = (rewards.size() - 1) / kMostDots + 1;
    for (std::size_t i = 0; i < rewards.size(); i += step)
      data.add(across(static_cast<double>(means_.pulls()[i])), {rewards[i]});
    return data;
  }

  DataFile means() const {
    DataFile data({"place", "mean", "low", "high"});
    for (const auto& [pull, mean, low, high] : means_.blocks()) data.add(across(pull), {mean, low, high});
    return data;
  }

  /// Returns the rewards that look like mistakes, at the edge if they are outside.
  DataFile outliers() const {
    DataFile data({"place", "reward"});
    for (const auto& [pull, reward] : means_.outliers())
      data.add(across(static_cast<double>(pull)), {std::clamp(reward, axes_.lowest, axes_.highest)});
    return data;
  }

  DataFile expected() const {
    DataFile data({"place", "expected", "low", "high"});
    for (const auto& [pull, reward] : report_.expected_course) {
      data.add(across(static_cast<double>(pull)), {reward.mean, reward.low, reward.high});
    }
    return data;
  }

  DataFile bound() const {
    DataFile data({"place", "upper bound"});
    for (const FuturePull& pull : report_.upper_bound) data.add(across(static_cast<double>(pull.pull)), {pull.reward});
    return data;
  }

  const Question& question_;
  const Recommendation& answer_;
  const PanelAxes& axes_;
  const ArmMeans& means_;
  Arm arm_;
  const ArmReport& report_;
  std::string file_;
};

/// Returns the commands that draw the key in a panel of its own, with `note` as its title.
std::string legend(const std::string& note, bool has_outliers) {
  std::vector<std::string> marks{
      fmt::format("NaN with points pt 7 ps 0.4 lc rgb '{}' title 'rewards'", kDots),
      fmt::format("NaN with lines lc rgb '{}' lw 1.5 title 'means with 2 standard errors'", kMean),
      fmt::format("NaN with lines lc rgb '{}' lw 2 title 'expected, with 80 % interval'", kExpected),
      fmt::format("NaN with lines lc rgb '{}' lw 2 dt (6,4) title 'upper bound'", kBound)};
  if (has_outliers) {
    marks.push_back(fmt::format("NaN with points pt 2 ps 0.8 lc rgb '{}' title 'looks like a mistake'", kOutliers));
  }
  return key_panel(note, marks);
}

}  // namespace

void write_recommendation_figure(const Question& question, const Recommendation& answer, const std::string& name,
                                 const std::string& directory) {
  const std::vector<Arm> arms = arms_with_panel(answer);
  const PanelGrid grid(arms.size(), RecommendationInches::kPanel, RecommendationInches::kLegend, kLegendColumns);
  const double height = grid.height();
  const std::vector<ArmMeans> means = means_of(question, answer);
  const PanelAxes axes = axes_of(question, answer, means);
  std::string body;
  for (std::size_t i = 0; i < arms.size(); ++i) {
    const ArmPanel panel(question, answer, axes, means[static_cast<std::size_t>(arms[i])], arms[i],
                         fmt::format("{}.{}", name, arms[i]));
    panel.write_data(directory);
    body += grid.place_panel(i) + panel.script();
  }
  std::string note =
      "past | future, on separate scales; below each panel: the arm's pulls at the beginning, now and at the end";
  if (arms.size() < answer.arms.size()) {
    note += fmt::format("; shown: {} of {} arms, those to pull next and those with the highest indices", arms.size(),
                        answer.arms.size());
  }
  body += place(0.02, 0.98, 0.02 / height, (RecommendationInches::kLegend - 0.3) / height) +
          legend(note, !answer.outliers.empty());
  write_file(fmt::format("{}/{}.gp", directory, name), script(name, grid.width(), height, body));
}

void draw_recommendation(const Question& question, const Recommendation& answer, const std::string& path) {
  draw_picture(path, [&](const std::string& name, const std::string& directory) {
    write_recommendation_figure(question, answer, name, directory);
  });
}

}  // namespace longrun
