#pragma once

#include <cstdint>
#include <span>

#include "longrun/base/random.h"
#include "longrun/base/vector_unit.h"

namespace longrun {

/// Fills `out` with uniform numbers in (0, 1): out[2k] and out[2k + 1] are unit_interval() of the two numbers of
/// random_block(key, first_block + k). Its size is even. Requires has_vector_unit(unit).
void uniform_numbers(const StreamKey& key, std::uint64_t first_block, std::span<double> out,
                     VectorUnit unit = widest_vector_unit());

/// Replaces every pair (u, v) of independent uniform numbers in (0, 1) by two independent standard normal numbers (Box
/// and Muller): sqrt(-2 ln u) cos(2 pi v) and sqrt(-2 ln u) sin(2 pi v). The size is even. Each u and v is a multiple
/// of 2^-53. The error is below 4 units in the last place. Requires has_vector_unit(unit).
///
/// Only operations are used that IEEE 754 rounds correctly, so the bits do not depend on processor, compiler or
/// mathematical library.
void make_normal(std::span<double> pairs, VectorUnit unit = widest_vector_unit());

/// Fills `out` with standard normal numbers: uniform_numbers(), then make_normal().
void normal_numbers(const StreamKey& key, std::uint64_t first_block, std::span<double> out,
                    VectorUnit unit = widest_vector_unit());

}  // namespace longrun
