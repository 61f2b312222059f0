#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>

namespace longrun {

/// Colours for lines without a colour of their own.
inline constexpr std::array kSpareColours{"#44aa99", "#aa4499", "#661100", "#6699cc", "#888888"};
/// Returns the spare colour of a name, the same on every machine.
std::string_view spare_colour(std::string_view name);

/// Returns the colour of an arm, by its number from 0. Colours repeat after kArmColourCount arms.
inline constexpr std::size_t kArmColourCount = 20;
std::string arm_colour(std::size_t arm);

/// Returns the colour of a ratio on a logarithmic scale: white at 1, and full at kFullRatio and above, or at its
/// inverse and below. Black text is readable on all of them.
inline constexpr const char* kBetterColour = "#5ba3dc";  ///< ratios below 1
inline constexpr const char* kWorseColour = "#f0913a";   ///< ratios above 1
inline constexpr double kFullRatio = 5;
std::string ratio_colour(double ratio);

}  // namespace longrun
