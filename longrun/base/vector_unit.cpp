#include "longrun/base/vector_unit.h"

#include "longrun/base/internal/number_functions.h"

namespace longrun {

bool has_vector_unit(VectorUnit unit) {
#if defined(__x86_64__)
  if (unit == VectorUnit::avx512) return __builtin_cpu_supports("avx512f") != 0;
  if (unit == VectorUnit::avx2) return __builtin_cpu_supports("avx2") != 0;
#endif
  return unit == VectorUnit::plain;
}

VectorUnit widest_vector_unit() {
  static const VectorUnit widest = [] {
    VectorUnit found = VectorUnit::plain;
    for (const VectorUnit unit : kVectorUnits) {
      if (has_vector_unit(unit)) found = unit;
    }
    return found;
  }();
  return widest;
}

const NumberFunctions& number_functions([[maybe_unused]] VectorUnit unit) {
#if defined(__x86_64__)
  if (unit == VectorUnit::avx512) return kNumbersAvx512;
  if (unit == VectorUnit::avx2) return kNumbersAvx2;
#endif
  return kNumbersPlain;
}

}  // namespace longrun
