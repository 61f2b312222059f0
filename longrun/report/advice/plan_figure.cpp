#include "longrun/report/advice/plan_figure.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <numeric>

#include "longrun/base/text.h"
#include "longrun/base/write_file.h"
#include "longrun/decide/reward_scale.h"
#include "longrun/model/arm_labels.h"
#include "longrun/report/gnuplot_script.h"
#include "longrun/report/picture.h"

namespace longrun {
namespace {

constexpr std::size_t kMostArmsDrawn = 24;
constexpr const char* kPolicyColour = "#d55e00";
constexpr const char* kOtherColour = "#0072b2";

/// The measures of the figure of a plan, in inches.
struct PlanInches {
  static constexpr double kLabels = 1.75;  // left of a panel
  static constexpr double kPanel = 2.7;    // width
  static constexpr double kRight = 0.25;
  static constexpr double kRow = 0.24;
  static constexpr double kAbove = 0.45;
  static constexpr double kBelow = 0.4;
};

/// One row of a panel.
struct RangeRow {
  std::string label;
  FutureRange range;
  bool is_policy = false;  // drawn in the policy's colour
};

/// A panel with a row for each range: the mean as a bar from 0, or as a point, and the interval as a line.
struct RangePanel {
  std::string title;
  std::string file;  // of its data, without ending
  std::vector<RangeRow> rows;
  bool bars = false;

  void write_data(const std::string& directory) const {
    DataFile data({"row", "mean", "low", "high", "policy"});
    for (std::size_t row = 0; row < rows.size(); ++row) {
      const FutureRange& range = rows[row].range;
      data.add(std::to_string(row), {range.mean, range.low, range.high, rows[row].is_policy ? 1.0 : 0.0});
    }
    write_file(fmt::format("{}/data/{}.tsv", directory, file), data.text());
  }

  std::string script() const {
    std::vector<std::string> tics;
    for (std::size_t row = 0; row < rows.size(); ++row) {
      tics.push_back(fmt::format("{} {}", quoted_title(replaced(shortened(rows[row].label, 26), "%", "%%")), row));
    }
    const std::string data = quoted(fmt::format("data/{}.tsv", file));
    const std::string colour = fmt::format("($5 > 0 ? 0x{} : 0x{})", kPolicyColour + 1, kOtherColour + 1);
    std::vector<std::string> parts;
    if (bars) {
      parts.push_back(
          fmt::format("{} using (0):1:(0):2:($1-0.32):($1+0.32):{} with boxxyerror lc rgb variable "
                      "fs solid 0.45 noborder",
                      data, colour));
    } else {
      parts.push_back(fmt::format("{} using 2:1:{} with points pt 7 ps 0.7 lc rgb variable", data, colour));
    }
    parts.push_back(fmt::format("{} using 2:1:3:4:{} with xerrorbars pt -1 lw 1.8 lc rgb variable", data, colour));
    double low = bars ? 0 : rows[0].range.mean;
    double high = low;
    for (const RangeRow& row : rows) {
      low = std::min({low, row.range.mean, row.range.low});
      high = std::max({high, row.range.mean, row.range.high});
    }
    const NumberTics numbers = number_tics(low, high);
    constexpr double kRoom = 0.04;  // of what is drawn, on both sides of intervals; bars begin at 0
    const std::string least = bars ? "0" : high > low ? fmt::format("{:.9g}", low - kRoom * (high - low)) : "*";
    return fmt::format(
               "set title {} tc rgb '#444444' font ',9' offset 0,-0.5\nset yrange [{}:-0.6]\n"
               "set xrange [{}:*]\nset offsets 0, graph {}, 0, 0\nset ytics nomirror tc rgb '#444444' ({})\n"
               "set xtics nomirror tc rgb '#444444' ({})\n",
               quoted_title(title + numbers.in_unit), static_cast<double>(rows.size()) - 0.4, least, kRoom,
               fmt::join(tics, ", "), numbers.list) +
           plot(parts);
  }
};

RangePanel arms_panel(const PlanQuestion& asked, const Plan& plan, const std::string& name) {
  std::vector<std::size_t> arms(plan.arms.size());
  std::iota(arms.begin(), arms.end(), std::size_t{0});
  std::string title = "remaining pulls of each arm";
  if (arms.size() > kMostArmsDrawn) {
    std::stable_sort(arms.begin(), arms.end(),
                     [&](std::size_t a, std::size_t b) { return plan.arms[a].rest.mean > plan.arms[b].rest.mean; });
    arms.resize(kMostArmsDrawn);
    std::sort(arms.begin(), arms.end());
    title = fmt::format("remaining pulls, {} of {} arms", kMostArmsDrawn, plan.arms.size());
  }
  RangePanel panel{.title = title, .file = name + ".arms", .rows = {}, .bars = true};
  for (const std::size_t arm : arms) {
    panel.rows.push_back(
        {arm_label(asked.question.history.arm_names, static_cast<Arm>(arm)), plan.arms[arm].rest, true});
  }
  return panel;
}

RangePanel totals_panel(const Plan& plan, const std::string& name) {
  RangePanel panel{.title = "total reward of each course", .file = name + ".totals", .rows = {}};
  for (const Course& course : plan.courses) {
    panel.rows.push_back({course.name, course.total, course.kind == CourseKind::policy});
  }
  return panel;
}

}  // namespace

void write_plan_figure(const PlanQuestion& asked, const Plan& plan, const std::string& name,
                       const std::string& directory) {
  const std::array panels{arms_panel(asked, plan, name), totals_panel(plan, name)};
  const std::size_t rows = std::max(panels[0].rows.size(), panels[1].rows.size());
  const double column = PlanInches::kLabels + PlanInches::kPanel + PlanInches::kRight;
  const double width = 2 * column;
  const double height = PlanInches::kAbove + static_cast<double>(rows) * PlanInches::kRow + PlanInches::kBelow;
  std::string body =
      fmt::format("set label 1 {} at screen 0.5, screen {:.4f} center font ',8' tc rgb '#444444'\n",
                  quoted(fmt::format("means and 80 % intervals over {} futures", plan.futures)), 1 - 0.12 / height);
  for (std::size_t i = 0; i < panels.size(); ++i) {
    panels[i].write_data(directory);
    const double left = static_cast<double>(i) * column + PlanInches::kLabels;
    const double top = height - PlanInches::kAbove;
    const double bottom = top - static_cast<double>(panels[i].rows.size()) * PlanInches::kRow;
    body += place(left / width, (left + PlanInches::kPanel) / width, bottom / height, top / height) +
            panels[i].script() + "unset label 1\n";
  }
  write_file(fmt::format("{}/{}.gp", directory, name), script(name, width, height, body));
}

void draw_plan(const PlanQuestion& asked, const Plan& plan, const std::string& path) {
  draw_picture(path, [&](const std::string& name, const std::string& directory) {
    write_plan_figure(asked, plan, name, directory);
  });
}

}  // namespace longrun
