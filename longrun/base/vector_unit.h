#pragma once

#include <array>

namespace longrun {

/// The instructions that many numbers are computed with. All of them give the same bits.
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

}  // namespace longrun
