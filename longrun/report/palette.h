#pragma once

#include <array>
#include <string>
#include <vector>

namespace longrun {

/// How a policy is drawn, in every figure the same.
struct LineStyle {
  std::string colour;       ///< #rrggbb
  std::vector<int> dashes;  ///< lengths of strokes and gaps, in line widths; empty: solid
  double width = 1.5;       ///< in points
};

/// For policies that have no colour of their own.
inline constexpr std::array kSpareColours{"#44aa99", "#aa4499", "#661100", "#6699cc", "#888888"};

/// The style of a policy, named as in a config ("d-ucb:discount=0.99"). Colours can be told apart by people who are
/// colour-blind, and in print. A variant ("spo@released", or with parameters) has the colour of its policy and other
/// dashes; a policy that has no colour of its own gets one from its name.
LineStyle style_of(const std::string& policy);

/// The colour of an arm, by its number from 0; they repeat after twenty.
inline constexpr std::size_t kArmColourCount = 20;
std::string arm_colour(std::size_t arm);

/// The colours of ratios on a logarithmic scale: white at 1, and full at kFullRatio and beyond, or at its inverse and
/// below. Black can be read on all of them.
inline constexpr const char* kBetterColour = "#5ba3dc";  ///< ratios below 1
inline constexpr const char* kWorseColour = "#f0913a";   ///< ratios above 1
inline constexpr double kFullRatio = 5;
std::string ratio_colour(double ratio);

}  // namespace longrun
