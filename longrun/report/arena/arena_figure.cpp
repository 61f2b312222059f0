#include "longrun/report/arena/arena_figure.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "longrun/base/palette.h"
#include "longrun/base/write_file.h"
#include "longrun/policy/line_style.h"
#include "longrun/report/gnuplot_script.h"
#include "longrun/report/policy_roles.h"

namespace longrun {
namespace {

/// The measures of the figure of an arena, in inches.
struct ArenaInches {
  static constexpr double kLetter = 0.075;  // width of a letter beside an axis
  static constexpr double kPanel = 3.3;
  static constexpr double kGap = 0.35;
  static constexpr double kRow = 0.21;
  static constexpr double kColumn = 0.55;
  static constexpr double kAbove = 0.45;  // above a panel, for its heading
  static constexpr double kBelow = 0.5;
  static constexpr double kFamilies = 0.65;  // below the table, for slanted names
};

// Longer names are cut.
constexpr std::size_t kLongestName = 60;  // of a policy
constexpr std::size_t kLongestFamily = 22;

/// Returns the width left of the panels, in inches: that of the longest policy name.
double names_width(const ArenaScores& scores) {
  std::size_t longest = 0;
  for (const ArenaRow& row : scores.rows) longest = std::max(longest, row.policy.size());
  return 0.3 + ArenaInches::kLetter * static_cast<double>(std::min(longest, kLongestName));
}

/// Returns the column of an estimate in the data file. The first column is the policy; the estimates are overall G and
/// M, then G and M of every family.
std::size_t column_of(std::size_t estimate) { return 2 + 3 * estimate; }

DataFile data_of(const ArenaScores& scores) {
  std::vector<std::string> names{"policy"};
  const auto name = [&](const std::string& of) {
    for (const char* score : {"G", "M"}) {
      for (const char* what : {"", " low", " high"}) names.push_back(fmt::format("{} {}{}", of, score, what));
    }
  };
  name("overall");
  for (const std::string& family : scores.families) name(family);
  DataFile data(names);
  for (const ArenaRow& row : scores.rows) {
    std::vector<double> values;
    const auto add = [&](const ArenaScore& score) {
      for (const Estimate& e : {score.g, score.m}) values.insert(values.end(), {e.mean, e.low, e.high});
    };
    add(row.overall);
    for (const ArenaScore& score : row.families) add(score);
    data.add(row.policy, values);
  }
  return data;
}

/// Returns the range of both panels: 1 and all intervals, with a margin. A logarithmic axis cannot show 0.
std::string score_range(const ArenaScores& scores) {
  double lowest = 0.8;
  double highest = 1.25;
  for (const ArenaRow& row : scores.rows) {
    for (const Estimate& e : {row.overall.g, row.overall.m}) {
      if (e.low > 0) lowest = std::min(lowest, e.low);
      highest = std::max(highest, e.high);
    }
  }
  return fmt::format("[{:.4g}:{:.4g}]", lowest / 1.1, highest * 1.1);
}

/// Returns tics with these names at 0, 1, 2, ...
std::string tics(const std::vector<std::string>& names, std::size_t longest) {
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i) {
    text += fmt::format("{}{} {}", i == 0 ? "(" : ", ", quoted_title(shortened(names[i], longest)), i);
  }
  return text + ")";
}

/// Returns the axis with one row per policy, the best on top.
std::string policy_axis(const ArenaScores& scores, bool named) {
  std::vector<std::string> names;
  for (const ArenaRow& row : scores.rows) names.push_back(named ? row.policy : "");
  return fmt::format("set yrange [{}:-0.5]\nset ytics scale 0 {}\n", static_cast<double>(names.size()) - 0.5,
                     tics(names, kLongestName));
}

std::string dots_panel(const ArenaScores& scores, const std::string& file, const std::string& title,
                       std::size_t estimate) {
  const std::size_t column = column_of(estimate);
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < scores.rows.size(); ++i) {
    parts.push_back(fmt::format("{} every ::{}::{} using {}:({}):{}:{} with xerrorbars lc rgb '{}' lw 1.5 pt 7 ps 0.9",
                                quoted(file), i, i, column, i, column + 1, column + 2,
                                line_style(scores.rows[i].policy).colour));
  }
  return fmt::format(
             "set title {}\nset logscale x\nset xrange {}\nset format x '%g'\n"
             "set xtics norotate autojustify scale 0.5 (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100)\n"
             "set arrow 1 from 1, graph 0 to 1, graph 1 nohead lc rgb '#444444' lw 1\n"
             "set xlabel 'above 1: worse than {}'\n",
             quoted_title(title), score_range(scores), yardstick_title()) +
         policy_axis(scores, estimate == 0) + plot(parts) + "unset arrow 1\nunset logscale\n";
}

std::string heat_panel(const ArenaScores& scores, const std::string& file) {
  std::vector<std::string> parts;
  std::vector<std::string> numbers;
  for (std::size_t i = 0; i < scores.families.size(); ++i) {
    const std::size_t column = column_of(2 + 2 * i);
    parts.push_back(fmt::format(
        "{} using ({}):0:({}-0.5):({}+0.5):($0-0.5):($0+0.5):(log(${})) with boxxyerror lc palette fs solid 1",
        quoted(file), i, i, i, column));
    numbers.push_back(fmt::format("{} using ({}):0:(score(${})) with labels font ',8'", quoted(file), i, column));
  }
  parts.insert(parts.end(), numbers.begin(), numbers.end());
  const double full = std::log(kFullRatio);
  return fmt::format(
             "set title 'G by family: blue is better than {}, orange is worse'\nset xlabel ''\nset format x\n"
             "set xtics scale 0 rotate by 30 right {}\n"
             "set xrange [-0.5:{}]\nunset grid\nunset colorbox\nset cbrange [{:.4f}:{:.4f}]\n"
             "set palette defined ({:.4f} '{}', 0 '#ffffff', {:.4f} '{}')\n"
             "score(x) = x < 9.995 ? sprintf('%.2f', x) : x < 99.95 ? sprintf('%.1f', x) : sprintf('%.0f', x)\n",
             yardstick_title(), tics(scores.families, kLongestFamily),
             static_cast<double>(scores.families.size()) - 0.5, -full, full, -full, kBetterColour, full, kWorseColour) +
         policy_axis(scores, true) + plot(parts);
}

}  // namespace

void write_arena_figure(const ArenaScores& scores, const std::string& name, const std::string& directory) {
  const std::string file = fmt::format("data/{}.tsv", name);
  const double rows = ArenaInches::kRow * static_cast<double>(scores.rows.size());
  const double heat_width = ArenaInches::kColumn * static_cast<double>(scores.families.size());
  const double names = names_width(scores);
  const double width = names + std::max(2 * ArenaInches::kPanel + ArenaInches::kGap, heat_width) + ArenaInches::kGap;
  const double height = 2 * (ArenaInches::kAbove + rows) + ArenaInches::kBelow + ArenaInches::kFamilies;
  const double top = (height - ArenaInches::kAbove) / height;
  const double middle = (height - ArenaInches::kAbove - rows) / height;
  const double bottom = ArenaInches::kFamilies / height;
  const double second = names + ArenaInches::kPanel + ArenaInches::kGap;
  const std::string body = place(names / width, (names + ArenaInches::kPanel) / width, middle, top) +
                           dots_panel(scores, file, "G: geometric mean of ratios", 0) +
                           place(second / width, (second + ArenaInches::kPanel) / width, middle, top) +
                           dots_panel(scores, file, "M: ratio of mean regrets", 1) +
                           place(names / width, (names + heat_width) / width, bottom, bottom + rows / height) +
                           heat_panel(scores, file);
  write_file(fmt::format("{}/{}", directory, file), data_of(scores).text());
  write_file(fmt::format("{}/{}.gp", directory, name), script(name, width, height, body));
}

}  // namespace longrun
