#include "longrun/model/history.h"

#include <fmt/format.h>

#include <algorithm>

#include "longrun/base/input_error.h"
#include "longrun/base/nearest_name.h"
#include "longrun/base/parse_number.h"

namespace longrun {

Arm find_arm(const std::vector<std::string>& arm_names, std::string_view text) {
  const auto arms = static_cast<Arm>(arm_names.size());
  const auto named = std::find(arm_names.begin(), arm_names.end(), text);
  if (named != arm_names.end() && !text.empty()) return static_cast<Arm>(named - arm_names.begin());
  const auto number = parse_number<Arm>(text);
  if (number && *number >= 0 && *number < arms) return *number;
  throw InputError(fmt::format("'{}' is not an arm; arms are 0..{}{}", text, arms - 1, did_you_mean(text, arm_names)));
}

}  // namespace longrun
