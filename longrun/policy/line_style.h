#pragma once

#include <span>
#include <string>
#include <string_view>

namespace longrun {

/// How figures draw a policy: the same in every figure.
struct LineStyle {
  std::string_view colour{};      ///< #rrggbb
  std::span<const int> dashes{};  ///< lengths of strokes and gaps, in line widths; empty: solid
  double width = 1.5;             ///< in points
};

/// Returns the style of a policy text ("d-ucb:discount=0.99"). People with a colour vision deficiency can tell the
/// colours apart, also in print. A variant ("spo@released", or with parameters) has the colour of its policy and other
/// dashes. A policy that is not in the catalog gets a colour by its name.
LineStyle line_style(std::string_view policy);

}  // namespace longrun
