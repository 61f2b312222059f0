#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "longrun/base/random.h"

namespace longrun {

/// The instructions that many random numbers are computed with. All of them give the same bits.
enum class VectorUnit {
  plain,   ///< those of every processor
  avx2,    ///< 4 numbers at once
  avx512,  ///< 8 numbers at once
};
inline constexpr std::array kVectorUnits{VectorUnit::plain, VectorUnit::avx2, VectorUnit::avx512};

/// Returns whether this processor has the unit.
bool has_vector_unit(VectorUnit unit);
/// Returns the widest unit of this processor.
VectorUnit widest_vector_unit();

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
