#pragma once

#include <cstdint>

namespace longrun {

using Arm = std::int32_t;    ///< index of an arm, from 0
using Pulls = std::int64_t;  ///< a number of pulls, or the number of a pull (the first pull of an arm is pull 1)

}  // namespace longrun
