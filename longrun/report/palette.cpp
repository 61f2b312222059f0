#include "longrun/report/palette.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <map>

namespace longrun {
namespace {

// After Okabe & Ito (2008) and P. Tol's "muted" scheme; light yellow left out, it vanishes on paper.
const std::map<std::string, LineStyle>& styles() {
  static const std::map<std::string, LineStyle> all{
      {"spo", {.colour = "#d55e00", .dashes = {}, .width = 2.5}},
      {"greedy", {.colour = "#009e73", .dashes = {}}},
      {"one-step-optimistic", {.colour = "#56b4e9", .dashes = {}}},
      {"exp3", {.colour = "#e69f00", .dashes = {6, 2}}},
      {"r-exp3", {.colour = "#5d3a00", .dashes = {6, 2}}},
      {"d-ucb", {.colour = "#0072b2", .dashes = {}}},
      {"sw-ucb", {.colour = "#cc79a7", .dashes = {}}},
      {"ucb", {.colour = "#332288", .dashes = {}}},
      {"increasing", {.colour = "#117733", .dashes = {4, 2, 1, 2}}},
      {"r-ed-ucb", {.colour = "#882255", .dashes = {4, 2, 1, 2}}},
      {"raw-ucb", {.colour = "#999933", .dashes = {10, 3}}},
      {"fewa", {.colour = "#ee6677", .dashes = {2, 2}}},
      {"ptrr", {.colour = "#2f7f7f", .dashes = {10, 3}}},
      {"foresight", {.colour = "#7b2cbf", .dashes = {}, .width = 2.5}},
      {"optimal", {.colour = "#000000", .dashes = {3, 3}}},
  };
  return all;
}

// P. Tol's "bright" scheme and darker and lighter relatives.
constexpr std::array<const char*, kArmColourCount> kArmColours{
    "#4477aa", "#ee6677", "#228833", "#ccbb44", "#66ccee", "#aa3377", "#bbbbbb", "#ee8866", "#44bb99", "#222255",
    "#99ddff", "#ffaabb", "#117733", "#eedd88", "#77aadd", "#882255", "#777777", "#994f00", "#aaaa00", "#000000"};
}  // namespace

LineStyle style_of(const std::string& policy) {
  const std::string base = policy.substr(0, policy.find_first_of("@:"));
  const auto found = styles().find(base);
  LineStyle style;
  if (found != styles().end()) {
    style = found->second;
  } else {
    // A sum of characters, not std::hash: the colour must be the same wherever it is drawn.
    std::size_t sum = 0;
    for (const char c : base) sum = 31 * sum + static_cast<unsigned char>(c);
    style.colour = kSpareColours[sum % kSpareColours.size()];
  }
  if (policy.size() > base.size())
    style.dashes = policy[base.size()] == '@' ? std::vector<int>{1, 2} : std::vector<int>{8, 3, 2, 3};
  return style;
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
