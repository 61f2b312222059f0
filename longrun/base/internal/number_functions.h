#pragma once

#include <cstddef>
#include <cstdint>

namespace longrun {

/// The parts of Philox' counter and key that are the same for all blocks of a stream; random_block() has the layout.
struct PhiloxKey {
  std::uint32_t purpose;  // in the highest 8 bits
  std::uint32_t lane;
  std::uint32_t replicate;
  std::uint64_t seed;
};

enum class VectorUnit;

/// The functions of random_numbers.h and logarithms.h, compiled for one vector unit. `pairs` is half the number of
/// numbers.
struct NumberFunctions {
  void (*fill_uniform)(const PhiloxKey& key, std::uint64_t first_block, double* out, std::size_t pairs);
  void (*make_normal)(double* numbers, std::size_t pairs);
  void (*take_logarithms)(double* numbers, std::size_t count);
};
extern const NumberFunctions kNumbersPlain;
extern const NumberFunctions kNumbersAvx2;
extern const NumberFunctions kNumbersAvx512;

/// Returns the functions for a unit of this processor.
const NumberFunctions& number_functions(VectorUnit unit);

}  // namespace longrun
