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

/// The red, green and blue of a colour, from 0 to 255.
using Channels = std::array<double, 3>;

Channels channels_of(std::string_view colour) {
  Channels channels{};
  for (std::size_t k = 0; k < 3; ++k) channels[k] = std::stoi(std::string(colour.substr(1 + 2 * k, 2)), nullptr, 16);
  return channels;
}

std::string to_text(const Channels& channels) {
  std::string colour = "#";
  for (const double channel : channels) colour += fmt::format("{:02x}", std::lround(channel));
  return colour;
}

/// Returns the channels moved by a share of the way to `end`, which is the same for all.
Channels mixed(Channels channels, double end, double share) {
  for (double& channel : channels) channel += share * (end - channel);
  return channels;
}

/// Returns the brightness of a colour, from 0 to 255: the luma of ITU-R BT.601.
double luma(const Channels& channels) { return 0.299 * channels[0] + 0.587 * channels[1] + 0.114 * channels[2]; }

/// The brightness of shades is from kDarkest to kDarkest + kShadeCount * kShadeStep: visible on white, and not black.
constexpr double kDarkest = 50;
constexpr double kShadeStep = 32;  // between any two shades, at least

}  // namespace

std::string_view spare_colour(std::string_view name) {
  std::size_t sum = 0;  // not std::hash, which may differ between machines
  for (const char c : name) sum = 31 * sum + static_cast<unsigned char>(c);
  return kSpareColours[sum % kSpareColours.size()];
}

std::string shade_of(std::string_view colour, std::size_t number) {
  if (number == 0) return std::string(colour);
  const Channels channels = channels_of(colour);
  const double own = luma(channels);
  // Steps from the colour itself, on a circle, so that every two shades are at least a step apart.
  const double range = static_cast<double>(kShadeCount) * kShadeStep;
  const double start = std::clamp(own - kDarkest, 0.0, range - 1);
  const double wanted = kDarkest + std::fmod(start + static_cast<double>(number) * kShadeStep, range);
  return to_text(wanted < own ? mixed(channels, 0, 1 - wanted / own)
                              : mixed(channels, 255, (wanted - own) / (255 - own)));
}

std::string arm_colour(std::size_t arm) { return kArmColours[arm % kArmColours.size()]; }

std::string ratio_colour(double ratio) {
  const double depth = ratio > 0 ? std::clamp(std::log(ratio) / std::log(kFullRatio), -1.0, 1.0) : -1;
  return to_text(mixed(channels_of(depth < 0 ? kBetterColour : kWorseColour), 255, 1 - std::abs(depth)));
}

}  // namespace longrun
