#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "longrun/base/types.h"

namespace longrun {

/// A pull of the past, and the reward that was observed.
struct PastPull {
  Arm arm = 0;
  double reward = 0;
  bool operator==(const PastPull&) const = default;
};

/// What has been done with some arms so far.
struct History {
  std::vector<std::string> arm_names;  ///< one per arm; empty where an arm has only its number
  std::vector<PastPull> pulls;         ///< in order

  Arm arms() const { return static_cast<Arm>(arm_names.size()); }
};

/// The arm that a user names or numbers from 0. Throws InputError, which says what there is, for any other.
Arm find_arm(const std::vector<std::string>& arm_names, std::string_view text);

}  // namespace longrun
