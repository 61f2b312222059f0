#include "longrun/report/policy_roles.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <set>
#include <vector>

#include "longrun/base/split.h"
#include "longrun/policy/catalog.h"
#include "longrun/report/gnuplot_script.h"

namespace longrun {
namespace {

/// Returns the first letters of the words of a parameter's name: "es" of "estimate_sd".
std::string initials(std::string_view name) {
  std::string letters;
  for (const std::string_view word : split(name, '_')) letters += word.substr(0, 1);
  return letters;
}

}  // namespace

std::string_view yardstick_name() { return policy_with(&PolicyTraits::yardstick).name; }

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

std::string policy_label(const std::string& policy) {
  const std::size_t colon = policy.find(':');
  if (policy.size() <= kLongestPolicyLabel || colon == std::string::npos) return shortened(policy, kLongestPolicyLabel);
  std::vector<std::string> parameters;
  std::set<std::string> names;
  for (const std::string_view part : split(std::string_view(policy).substr(colon + 1), ',')) {
    const std::size_t equals = std::min(part.find('='), part.size());
    const std::string name = initials(part.substr(0, equals));
    if (!names.insert(name).second) return shortened(policy, kLongestPolicyLabel);
    parameters.push_back(fmt::format("{}{}", name, part.substr(equals)));
  }
  return shortened(fmt::format("{}:{}", policy.substr(0, colon), fmt::join(parameters, ",")), kLongestPolicyLabel);
}

}  // namespace longrun
