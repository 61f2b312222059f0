#include "longrun/model/history.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "longrun/base/input_error.h"
#include "longrun/base/nearest_name.h"
#include "longrun/base/parse_number.h"

namespace longrun {
namespace {

constexpr std::size_t kMostNamesListed = 10;  // in an error

}  // namespace

Arm find_arm(const std::vector<std::string>& arm_names, std::string_view text) {
  const auto arms = static_cast<Arm>(arm_names.size());
  const auto named = std::find(arm_names.begin(), arm_names.end(), text);
  if (named != arm_names.end() && !text.empty()) return static_cast<Arm>(named - arm_names.begin());
  const auto number = parse_number<Arm>(text);
  if (number && *number >= 0 && *number < arms) return *number;
  const bool named_all =
      std::none_of(arm_names.begin(), arm_names.end(), [](const std::string& name) { return name.empty(); });
  const std::string names =
      named_all && arm_names.size() <= kMostNamesListed ? fmt::format(" ({})", fmt::join(arm_names, ", ")) : "";
  throw InputError(
      fmt::format("'{}' is not an arm; arms are 0..{}{}{}", text, arms - 1, names, did_you_mean(text, arm_names)));
}

}  // namespace longrun
