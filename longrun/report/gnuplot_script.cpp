#include "longrun/report/gnuplot_script.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "longrun/report/drawable_text.h"

namespace longrun {
namespace {

/// Replaces control characters with spaces, so that a name stays in its line and column of a script or data file.
std::string one_line(std::string text) {
  std::replace_if(
      text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < ' ' || c == 0x7f; }, ' ');
  return text;
}

}  // namespace

std::string quoted(const std::string& text) {
  std::string result = "'";  // in double quotes, backticks would run a command
  for (const char c : one_line(text)) result += c == '\'' ? std::string("''") : std::string(1, c);
  return result + "'";
}

std::string quoted_title(const std::string& text) { return quoted(drawable_text(text)); }

std::string shortened(const std::string& text, std::size_t length) {
  std::string name = drawable_text(text);  // first, because a character that is replaced may have many bytes
  if (name.size() <= length) return name;
  std::size_t end = length - 2;
  while (end > 0 && (static_cast<unsigned char>(name[end]) & 0xc0U) == 0x80U) --end;  // not inside a UTF-8 character
  return name.substr(0, end) + "..";
}

NumberTics number_tics(double low, double high) {
  constexpr double kMostSteps = 5;
  constexpr double kRounding = 1e-9;  // of a step
  struct AxisUnit {
    double least;  // largest number on the axis
    double size;
    const char* text;
  };
  constexpr std::array kUnits{AxisUnit{1e15, 1, ""}, AxisUnit{1e9, 1e9, ", in billions"},
                              AxisUnit{1e6, 1e6, ", in millions"}, AxisUnit{1e5, 1e3, ", in thousands"},
                              AxisUnit{0, 1, ""}};
  const double largest = std::max(std::abs(low), std::abs(high));
  const AxisUnit unit =
      *std::find_if(kUnits.begin(), kUnits.end(), [&](const AxisUnit& each) { return largest >= each.least; });
  if (!(high > low)) return {fmt::format("'{:.6g}' {}", low / unit.size, low), unit.text};
  const double least = (high - low) / kMostSteps;
  const double power = std::pow(10, std::floor(std::log10(least)));
  double step = 10 * power;
  for (const double digit : {5.0, 2.0, 1.0}) {
    if (digit * power >= least * (1 - kRounding)) step = digit * power;
  }
  std::vector<std::string> tics;
  const double first = std::ceil(low / step - kRounding);
  const auto more = static_cast<int>(std::floor(high / step + kRounding) - first);
  for (int i = 0; i <= more; ++i) {
    const double number = first + i == 0 ? 0 : (first + i) * step;  // no -0
    tics.push_back(fmt::format("'{:.10g}' {}", number / unit.size, number));
  }
  return {fmt::format("{}", fmt::join(tics, ", ")), unit.text};
}

std::string plot(const std::vector<std::string>& parts) {
  return fmt::format("plot {}\n", fmt::join(parts, ", \\\n     "));
}

std::string place(double left, double right, double bottom, double top) {
  return fmt::format(
      "set lmargin at screen {:.4f}; set rmargin at screen {:.4f}\nset bmargin at screen {:.4f}; set tmargin at screen "
      "{:.4f}\n",
      left, right, bottom, top);
}

std::string key_panel(const std::string& note, const std::vector<std::string>& entries) {
  return fmt::format(
             "unset border\nunset tics\nunset grid\nunset xlabel\nunset ylabel\nset title {} tc rgb '#444444' font "
             "',8' offset 0,-0.5\n"
             "set key center center horizontal samplen 2 font ',8'\nset xrange [0:1]\nset yrange [0:1]\n",
             quoted_title(note)) +
         plot(entries) + "unset key\nset border 3\nset tics out scale 0.5 font ',8'\nset grid\nset title ''\n";
}

PanelGrid::PanelGrid(std::size_t panels, const PanelInches& inches, double height_below, std::size_t fewest_columns)
    : inches_(inches),
      columns_(panels <= 3   ? panels
               : panels == 4 ? 2
               : panels <= 9 ? 3
                             : 4) {
  const std::size_t rows = (panels + columns_ - 1) / columns_;
  width_ = static_cast<double>(std::max(fewest_columns, columns_)) * (inches.left + inches.width + inches.right);
  height_ = static_cast<double>(rows) * (inches.above + inches.height + inches.below) + height_below;
}

std::string PanelGrid::place_panel(std::size_t panel) const {
  const std::size_t panels_before = panel / columns_;
  const auto row = static_cast<double>(panels_before);
  const auto column = static_cast<double>(panel % columns_);
  const double left = column * (inches_.left + inches_.width + inches_.right) + inches_.left;
  const double top = height_ - row * (inches_.above + inches_.height + inches_.below) - inches_.above;
  return place(left / width_, (left + inches_.width) / width_, (top - inches_.height) / height_, top / height_);
}

std::string script(const std::string& name, double width, double height, const std::string& body) {
  return fmt::format(
      R"(# gnuplot {0}.gp, in this folder, makes {0}.svg, {0}.pdf and {0}.png.
if (!exists("formats")) {{ formats = "svg pdf png" }}
do for [format in formats] {{
if (format eq "svg") {{ set terminal svg noenhanced size {1},{2} font 'Helvetica,9' background '#ffffff' }}
if (format eq "pdf") {{ set terminal pdfcairo noenhanced size {3}in,{4}in font 'DejaVu Sans,8' }}
if (format eq "png") {{ set terminal pngcairo noenhanced size {5},{6} fontscale 1.6 linewidth 1.6 font 'DejaVu Sans,9' }}
set output {8} . format
set datafile separator '\t'
set border 3 lc rgb '#444444'
set tics out scale 0.5 font ',8'
set xtics nomirror
set ytics nomirror
set grid lc rgb '#dddddd' lt 1
set style fill solid 0.9 noborder
unset key
set multiplot
{7}unset multiplot
unset output
}}
)",
      one_line(name), std::lround(width * 96), std::lround(height * 96), width, height, std::lround(width * 160),
      std::lround(height * 160), body, quoted("./" + name + "."));
}

DataFile::DataFile(std::vector<std::string> names) {
  for (std::string& name : names) name = one_line(name);
  text_ = fmt::format("# {}\n", fmt::join(names, "\t"));
}

void DataFile::add(const std::string& label, const std::vector<double>& values) {
  // In quotes, a "#" does not begin a comment.
  const bool comment = label.starts_with('#');
  text_ +=
      fmt::format("{0}{1}{0}\t{2}\n", comment ? "\"" : "", one_line(drawable_text(label)), fmt::join(values, "\t"));
}

}  // namespace longrun
