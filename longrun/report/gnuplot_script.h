#pragma once

#include <string>
#include <vector>

namespace longrun {

// What gnuplot scripts are made of.

/// A text as gnuplot takes it, whatever it holds, on one line.
std::string quoted(const std::string& text);

/// As much of a name as fits beside an axis.
std::string shortened(const std::string& name);

/// Draws these into one panel.
std::string plot(const std::vector<std::string>& parts);

/// Where on the page the next panel stands, between 0 and 1.
std::string place(double left, double right, double bottom, double top);

/// The whole script of NAME.gp: what all figures have in common around `body`, which draws on a page of this size, in
/// inches.
std::string script(const std::string& name, double width, double height, const std::string& body);

/// Tab-separated columns below a comment that names them.
class DataFile {
 public:
  explicit DataFile(std::vector<std::string> names);
  void add(const std::string& label, const std::vector<double>& values);
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

}  // namespace longrun
