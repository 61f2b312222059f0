#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "longrun/base/types.h"

namespace longrun {

/// A past pull and its observed reward.
struct PastPull {
  Arm arm = 0;
  double reward = 0;
  bool operator==(const PastPull&) const = default;
};

/// The past pulls of some arms.
struct History {
  std::vector<std::string> arm_names;  ///< one per arm; an empty name if the arm has only a number
  std::vector<PastPull> pulls;         ///< in order

  Arm arms() const { return static_cast<Arm>(arm_names.size()); }
};

/// Returns the arm with this name or number (from 0). Throws InputError if no arm has it.
Arm find_arm(const std::vector<std::string>& arm_names, std::string_view text);

}  // namespace longrun
