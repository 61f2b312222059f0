#include "longrun/policy/line_style.h"

#include <algorithm>
#include <array>

#include "longrun/base/palette.h"
#include "longrun/policy/catalog.h"

namespace longrun {
namespace {

constexpr std::array kVariantDashes{1, 2};
constexpr std::array kParameterDashes{8, 3, 2, 3};

/// The number of dashes of policies with the same style. It has no common divisor with kShadeCount, so that all
/// combinations of shades and dashes occur.
constexpr std::size_t kDashPatterns = 5;
constexpr std::size_t kLinesPerStyle = kShadeCount * kDashPatterns;

/// Dashes in addition to those of the style itself. One more than needed, because one may be equal to those.
const std::array<std::vector<int>, kDashPatterns> kOtherDashes{
    {{}, {5, 2}, {2, 2}, {12, 3}, {7, 2, 1, 2}},
};

/// Returns the k-th line that replaces `first`; k = 0 is `first` itself.
FigureLine replacement(const FigureLine& first, std::size_t k) {
  std::vector<std::vector<int>> dashes{first.dashes};
  for (const std::vector<int>& other : kOtherDashes) {
    if (other != first.dashes) dashes.push_back(other);
  }
  return {.colour = shade_of(first.colour, k % kShadeCount), .dashes = dashes[k % kDashPatterns], .width = first.width};
}

}  // namespace

LineStyle line_style(std::string_view policy) {
  const PolicyEntry* entry = find_policy(policy);
  if (entry == nullptr) return {.colour = spare_colour(policy_name(policy))};
  LineStyle style = entry->line;
  if (!entry->traits.variant_of.empty()) {
    style = find_policy(entry->traits.variant_of)->line;
    style.dashes = kVariantDashes;
  } else if (policy.size() > entry->name.size()) {
    style.dashes = kParameterDashes;
  }
  return style;
}

std::vector<FigureLine> figure_lines(std::span<const std::string> policies) {
  std::vector<FigureLine> lines;
  std::vector<std::size_t> repeated;  // policies whose style an earlier policy has
  for (const std::string& policy : policies) {
    const LineStyle style = line_style(policy);
    FigureLine line{.colour = std::string(style.colour),
                    .dashes = {style.dashes.begin(), style.dashes.end()},
                    .width = style.width};
    if (std::find(lines.begin(), lines.end(), line) != lines.end()) repeated.push_back(lines.size());
    lines.push_back(std::move(line));
  }
  std::vector<FigureLine> taken;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (std::find(repeated.begin(), repeated.end(), i) == repeated.end()) taken.push_back(lines[i]);
  }
  for (const std::size_t i : repeated) {
    FigureLine line = lines[i];
    for (std::size_t k = 1; k < kLinesPerStyle; ++k) {
      line = replacement(lines[i], k);
      if (std::find(taken.begin(), taken.end(), line) == taken.end()) break;
    }
    taken.push_back(line);
    lines[i] = std::move(line);
  }
  return lines;
}

}  // namespace longrun
