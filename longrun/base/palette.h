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

/// The number of shades of a colour, with the colour itself.
inline constexpr std::size_t kShadeCount = 4;
/// Returns shade `number`, below kShadeCount, of a colour #rrggbb. Shade 0 is the colour itself. The others are darker
/// or lighter, but all are visible on white.
std::string shade_of(std::string_view colour, std::size_t number);

/// The number of arms that have different colours.
inline constexpr std::size_t kArmColourCount = 20;
/// Returns the colour of an arm, by its number from 0. Colours repeat after kArmColourCount arms.
std::string arm_colour(std::size_t arm);

inline constexpr const char* kBetterColour = "#5ba3dc";  ///< of ratios far below 1
inline constexpr const char* kWorseColour = "#f0913a";   ///< of ratios far above 1
inline constexpr double kFullRatio = 5;                  ///< the ratio from which on the colour is kWorseColour
/// Returns the colour of a ratio on a logarithmic scale: white at 1, kWorseColour at kFullRatio and above,
/// kBetterColour at 1 / kFullRatio and below. Black text is readable on all of them.
std::string ratio_colour(double ratio);

}  // namespace longrun
