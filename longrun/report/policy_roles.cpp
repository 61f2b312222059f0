#include "longrun/report/policy_roles.h"

#include <algorithm>
#include <cctype>

#include "longrun/policy/catalog.h"

namespace longrun {

std::string_view yardstick_name() {
  const auto catalog = policy_catalog();
  return std::find_if(catalog.begin(), catalog.end(), [](const PolicyEntry& entry) { return entry.traits.yardstick; })
      ->name;
}

std::string yardstick_title() {
  std::string title(yardstick_name());
  std::transform(title.begin(), title.end(), title.begin(),
                 [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return title;
}

bool competes(std::string_view policy) {
  const PolicyTraits traits = traits_of(policy);
  return !traits.reference && traits.variant_of.empty();
}

}  // namespace longrun
