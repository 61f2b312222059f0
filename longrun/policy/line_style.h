#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace longrun {

/// The line that represents a policy in all figures.
struct LineStyle {
  std::string_view colour{};      ///< #rrggbb
  std::span<const int> dashes{};  ///< lengths of strokes and gaps, in line widths; empty for a solid line
  double width = 1.5;             ///< in points
};

/// Returns the style of a policy text ("d-ucb:discount=0.99"). The colours are distinguishable with a colour vision
/// deficiency and in print. A variant ("spo@released", or with parameters) has the colour of its policy and other
/// dashes. The colour of a policy that is not in the catalog is a function of its name.
LineStyle line_style(std::string_view policy);

/// The line of a policy in one figure. Its members are those of LineStyle.
struct FigureLine {
  std::string colour;
  std::vector<int> dashes;
  double width = 1.5;
  bool operator==(const FigureLine&) const = default;
};

/// Returns the lines of the policies of one figure, in the order of their policy texts. The first policy with a style
/// has the style of line_style(). Further ones, such as those of a grid of parameters, have lighter or darker shades of
/// the same colour and other dashes: no two lines are equal, as long as no more than 19 policies have one catalog
/// entry. The first 4 of these also differ in their colours, for bars.
std::vector<FigureLine> figure_lines(std::span<const std::string> policies);

}  // namespace longrun
