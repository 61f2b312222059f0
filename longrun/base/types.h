#pragma once

#include <cstdint>

namespace longrun {

using Arm = std::int32_t;    ///< index of an arm, from 0
using Pulls = std::int64_t;  ///< a number of pulls, or the number of a pull (the first pull of an arm is pull 1)

/// The longest accepted horizon: a day of decisions, if each takes 0.1 microseconds.
inline constexpr Pulls kLongestHorizon = 1'000'000'000'000;

}  // namespace longrun
