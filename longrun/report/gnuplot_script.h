#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace longrun {

// Parts of gnuplot scripts.

/// Returns the text as a quoted gnuplot string on one line.
std::string quoted(const std::string& text);
/// Returns the same for a text that is drawn: without characters that no font has (drawable_text.h).
std::string quoted_title(const std::string& text);

/// Returns the drawable name, cut to at most `length` bytes, the last two of them "..", if it is longer.
std::string shortened(const std::string& name, std::size_t length = 22);

/// The numbers on an axis.
struct NumberTics {
  std::string list;     ///< "'0' 0, '2' 2000000", of "set xtics (...)"; numbers are in the unit
  std::string in_unit;  ///< ", in millions", or empty: added to the title of the axis
};
/// Returns at most six round numbers from `low` to `high`, so short that they are readable side by side.
NumberTics number_tics(double low, double high);

/// Returns the command that draws these parts into one panel.
std::string plot(const std::vector<std::string>& parts);

/// Returns the commands that place the next panel; coordinates are shares of the page, from 0 to 1.
std::string place(double left, double right, double bottom, double top);

/// Returns the commands that draw a key in a panel of its own, with `note` as its title. Each entry is a part of plot()
/// that draws nothing and has a title.
std::string key_panel(const std::string& note, const std::vector<std::string>& entries);

/// The size of a panel and of the margins around it, in inches.
struct PanelInches {
  double width = 0;
  double height = 0;
  double left = 0;
  double right = 0;
  double above = 0;
  double below = 0;
};

/// Panels of the same size, row by row from the top of a page.
class PanelGrid {
 public:
  /// `height_below` is that of the page below the panels. The page is as wide as `fewest_columns` at least.
  PanelGrid(std::size_t panels, const PanelInches& inches, double height_below, std::size_t fewest_columns = 1);

  double width() const { return width_; }    ///< of the page, in inches
  double height() const { return height_; }  ///< of the page, in inches
  /// Returns the commands that place the panel with this number, from 0.
  std::string place_panel(std::size_t panel) const;

 private:
  PanelInches inches_;
  std::size_t columns_;
  double width_;
  double height_;
};

/// Returns the script NAME.gp: the settings that all figures share, then `body`, which draws on a page of this size in
/// inches.
std::string script(const std::string& name, double width, double height, const std::string& body);

/// A data file: tab-separated columns below a comment with their names.
class DataFile {
 public:
  explicit DataFile(std::vector<std::string> names);
  void add(const std::string& label, const std::vector<double>& values);
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

}  // namespace longrun
