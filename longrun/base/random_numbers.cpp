#include "longrun/base/random_numbers.h"

#include "longrun/base/internal/number_functions.h"

namespace longrun {
namespace {

const NumberFunctions& functions_of([[maybe_unused]] VectorUnit unit) {
#if defined(__x86_64__)
  if (unit == VectorUnit::avx512) return kNumbersAvx512;
  if (unit == VectorUnit::avx2) return kNumbersAvx2;
#endif
  return kNumbersPlain;
}

}  // namespace

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

void uniform_numbers(const StreamKey& key, std::uint64_t first_block, std::span<double> out, VectorUnit unit) {
  const PhiloxKey philox{.purpose = static_cast<std::uint32_t>(key.purpose) << 24,
                         .lane = key.lane,
                         .replicate = key.replicate,
                         .seed = key.seed};
  functions_of(unit).fill_uniform(philox, first_block, out.data(), out.size() / 2);
}

void make_normal(std::span<double> pairs, VectorUnit unit) {
  functions_of(unit).make_normal(pairs.data(), pairs.size() / 2);
}

void normal_numbers(const StreamKey& key, std::uint64_t first_block, std::span<double> out, VectorUnit unit) {
  uniform_numbers(key, first_block, out, unit);
  make_normal(out, unit);
}

}  // namespace longrun
