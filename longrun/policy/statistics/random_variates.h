#pragma once

#include <cstdint>

#include "longrun/base/random.h"

namespace longrun {

/// Returns number `index` (< 2^56) of the stream: normal with mean 0 and standard deviation 1 (Box and Muller).
double normal_variate(const StreamKey& stream, std::uint64_t index);

/// Returns number `index` (< 2^50) of the stream: beta distributed with shapes a, b >= 1, exactly (algorithm BB of
/// Cheng 1978; a power of a uniform number if a shape is 1). It draws pairs of uniform numbers until one is accepted,
/// 1.5 pairs at most on average. Numbers with different indices are independent.
double beta_variate(const StreamKey& stream, std::uint64_t index, double a, double b);

}  // namespace longrun
