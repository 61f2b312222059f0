#pragma once

#include <span>
#include <string>
#include <string_view>

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

}  // namespace longrun
