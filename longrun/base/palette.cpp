#include "longrun/base/palette.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace longrun {
namespace {

// P. Tol's "bright" scheme, and darker and lighter variants of it.
constexpr std::array<const char*, kArmColourCount> kArmColours{
    "#4477aa", "#ee6677", "#228833", "#ccbb44", "#66ccee", "#aa3377", "#bbbbbb", "#ee8866", "#44bb99", "#222255",
    "#99ddff", "#ffaabb", "#117733", "#eedd88", "#77aadd", "#882255", "#777777", "#994f00", "#aaaa00", "#000000"};

}  // namespace

std::string_view spare_colour(std::string_view name) {
  std::size_t sum = 0;  // not std::hash, which may differ between machines
  for (const char c : name) sum = 31 * sum + static_cast<unsigned char>(c);
  return kSpareColours[sum % kSpareColours.size()];
}

std::string arm_colour(std::size_t arm) { return kArmColours[arm % kArmColours.size()]; }

std::string ratio_colour(double ratio) {
  const double depth = ratio > 0 ? std::clamp(std::log(ratio) / std::log(kFullRatio), -1.0, 1.0) : -1;
  const std::string full = depth < 0 ? kBetterColour : kWorseColour;
  std::string colour = "#";
  for (const std::size_t channel : {1U, 3U, 5U}) {
    const double end = std::stoi(full.substr(channel, 2), nullptr, 16);
    colour += fmt::format("{:02x}", std::lround(255 + std::abs(depth) * (end - 255)));
  }
  return colour;
}

}  // namespace longrun
