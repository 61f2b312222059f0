#include "longrun/policy/line_style.h"

#include <array>

#include "longrun/base/palette.h"
#include "longrun/policy/catalog.h"

namespace longrun {
namespace {

constexpr std::array kVariantDashes{1, 2};
constexpr std::array kParameterDashes{8, 3, 2, 3};

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

}  // namespace longrun
