#pragma once

// The functions of random_numbers.h and logarithms.h for the vector unit that the including file is compiled for. No
// other header of the project or of the C++ library with functions is included: an inline function that is compiled
// here for a new processor could replace the same function of a file for every processor.
#include <cstddef>
#include <cstdint>
#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include "longrun/base/internal/number_functions.h"

// NOLINTBEGIN(google-build-namespaces,misc-definitions-in-headers): three files include this header, and each compiles
// a version of its own, which no other file must see.
namespace longrun {
namespace {

#if defined(__AVX512F__)
constexpr std::size_t kLanes = 8;
#elif defined(__AVX2__)
constexpr std::size_t kLanes = 4;
#else
constexpr std::size_t kLanes = 2;
#endif
// Vectors of GCC and Clang: an operator applies to every lane.
using Words = std::uint64_t __attribute__((vector_size(8 * kLanes)));
using Doubles = double __attribute__((vector_size(8 * kLanes)));

/// Returns the products of the low 32 bits of each lane.
inline Words product_of_low_halves(Words a, Words b) {
#if defined(__AVX512F__)
  return (Words)_mm512_maskz_mul_epu32(0xff, (__m512i)a, (__m512i)b);
#elif defined(__AVX2__)
  return (Words)_mm256_mul_epu32((__m256i)a, (__m256i)b);
#elif defined(__x86_64__)
  return (Words)_mm_mul_epu32((__m128i)a, (__m128i)b);
#else
  return (a & 0xffffffffU) * (b & 0xffffffffU);
#endif
}

inline Doubles square_root(Doubles x) {
#if defined(__AVX512F__)
  return _mm512_maskz_sqrt_pd(0xff, x);
#elif defined(__AVX2__)
  return _mm256_sqrt_pd(x);
#elif defined(__x86_64__)
  return _mm_sqrt_pd(x);
#else
  for (std::size_t i = 0; i < kLanes; ++i) x[i] = __builtin_sqrt(x[i]);
  return x;
#endif
}

inline Words all(std::uint64_t word) { return Words{} + word; }
inline Doubles all(double number) { return Doubles{} + number; }

/// Two numbers per lane, those of a block or of a pair.
template <class Vector>
struct Both {
  Vector first;
  Vector second;
};

inline void store(const Both<Doubles>& pairs, double* out) {
  for (std::size_t i = 0; i < kLanes; ++i) {
    out[2 * i] = pairs.first[i];
    out[2 * i + 1] = pairs.second[i];
  }
}

inline Both<Doubles> load(const double* pairs) {
  Both<Doubles> both{};
  for (std::size_t i = 0; i < kLanes; ++i) {
    both.first[i] = pairs[2 * i];
    both.second[i] = pairs[2 * i + 1];
  }
  return both;
}

/// Returns the blocks with these indices (Philox 4x32-10, Salmon et al. 2011). A 32-bit word of the counter is the low
/// half of a lane; its high half is ignored.
inline Both<Words> philox(const PhiloxKey& key, Words index) {
  const Words low_half = all(std::uint64_t{0xffffffffU});
  const Words factor_0 = all(std::uint64_t{0xd2511f53U});
  const Words factor_2 = all(std::uint64_t{0xcd9e8d57U});
  auto key_0 = static_cast<std::uint32_t>(key.seed);
  auto key_1 = static_cast<std::uint32_t>(key.seed >> 32);
  Words word_0 = index;
  Words word_1 = (index >> 32) | std::uint64_t{key.purpose};
  Words word_2 = all(std::uint64_t{key.lane});
  Words word_3 = all(std::uint64_t{key.replicate});
  for (int round = 0; round < 10; ++round) {
    const Words product_0 = product_of_low_halves(word_0, factor_0);
    const Words product_2 = product_of_low_halves(word_2, factor_2);
    word_0 = (product_2 >> 32) ^ word_1 ^ std::uint64_t{key_0};
    word_1 = product_2;
    word_2 = (product_0 >> 32) ^ word_3 ^ std::uint64_t{key_1};
    word_3 = product_0;
    key_0 += 0x9e3779b9U;
    key_1 += 0xbb67ae85U;
  }
  return {(word_0 << 32) | (word_1 & low_half), (word_2 << 32) | (word_3 & low_half)};
}

/// Returns the 52 high bits as numbers in (0, 1), exactly like unit_interval().
inline Doubles unit_intervals(Words bits) {
  const auto from_one = (Doubles)((bits >> 12) | std::uint64_t{0x3ff0000000000000U});  // in [1, 2)
  return (from_one - 1.0) + 0x1p-53;
}

/// Returns coefficients[0] + coefficients[1] x + ... Odd and even powers are added up in turn, which are two short
/// chains of operations instead of a long one.
template <std::size_t count>
inline Doubles polynomial(const double (&coefficients)[count], Doubles x) {
  const Doubles square = x * x;
  Doubles newer = all(coefficients[count - 2]);
  Doubles older = all(coefficients[count - 1]);
  for (std::size_t k = count - 2; k-- > 0;) {
    const Doubles next = older * square + coefficients[k];
    older = newer;
    newer = next;
  }
  return newer + older * x;
}

/// Returns ln x for finite x >= 2^-60. With x = 2^e (1 + f), sqrt(1/2) <= 1 + f < sqrt(2), and
/// s = f / (2 + f), ln(1 + f) = 2 artanh s = f - f^2/2 + s (f^2/2 + 2 s^2/3 + 2 s^4/5 + ...). The first term is exact
/// and the others are small.
inline Doubles logarithm(Doubles x) {
  constexpr std::uint64_t kRootOfHalf = 0x3fe6a09e667f3bcdU;  // the bits of sqrt(1/2)
  constexpr std::uint64_t kOffset = std::uint64_t{64} << 52;  // keeps the exponent positive
  constexpr double kLn2High = 0x1.62e42fefa38p-1;             // 42 bits: multiples by e are exact
  constexpr double kLn2Low = 0x1.ef35793c7673p-45;            // the rest
  constexpr double kSeries[] = {2.0 / 3,  2.0 / 5,  2.0 / 7,  2.0 / 9,  2.0 / 11,
                                2.0 / 13, 2.0 / 15, 2.0 / 17, 2.0 / 19, 2.0 / 21};
  const auto bits = (Words)x;
  const Words exponent = (bits + (kOffset - kRootOfHalf)) >> 52;  // e + 64
  const Doubles e = (Doubles)(exponent | std::uint64_t{0x4330000000000000U}) - (0x1p52 + 64);
  const Doubles f = (Doubles)(bits - (exponent << 52) + kOffset) - 1.0;
  const Doubles s = f / (2.0 + f);
  const Doubles s_squared = s * s;
  const Doubles half_square = 0.5 * f * f;
  const Doubles rest = s * (half_square + s_squared * polynomial(kSeries, s_squared)) + e * kLn2Low;
  return e * kLn2High + (f - (half_square - rest));
}

constexpr double one_over_factorial(int n) { return n <= 1 ? 1 : one_over_factorial(n - 1) / n; }

/// Returns cos(2 pi v) and sin(2 pi v) for v in (0, 1) that are multiples of 2^-53. The nearest quarter turn is
/// subtracted exactly; the series of Taylor have enough terms for the angles up to pi/4 that remain.
inline Both<Doubles> cosine_and_sine(Doubles v) {
  constexpr double kSine[] = {-one_over_factorial(3),  one_over_factorial(5),   -one_over_factorial(7),
                              one_over_factorial(9),   -one_over_factorial(11), one_over_factorial(13),
                              -one_over_factorial(15), one_over_factorial(17)};
  constexpr double kCosine[] = {-one_over_factorial(2),  one_over_factorial(4),   -one_over_factorial(6),
                                one_over_factorial(8),   -one_over_factorial(10), one_over_factorial(12),
                                -one_over_factorial(14), one_over_factorial(16)};
  constexpr double kRounding = 0x1.8p52;  // added to a number, it leaves no bits for fractions
  const Doubles quarters = 4.0 * v;
  const Doubles rounded = quarters + kRounding;
  const auto turns = (Words)rounded;  // its low bits are the number of quarter turns
  const Doubles angle = (quarters - (rounded - kRounding)) * 1.57079632679489661923;
  const Doubles square = angle * angle;
  const auto sine = (Words)(angle + angle * (square * polynomial(kSine, square)));
  const auto cosine = (Words)(1.0 + square * polynomial(kCosine, square));
  // An odd number of quarter turns exchanges sine and cosine; the sign is bit 63.
  const Words exchange = (sine ^ cosine) & (std::uint64_t{0} - (turns & std::uint64_t{1}));
  const Words cosine_sign = ((turns + std::uint64_t{1}) & std::uint64_t{2}) << 62;
  const Words sine_sign = (turns & std::uint64_t{2}) << 62;
  return {(Doubles)(cosine ^ exchange ^ cosine_sign), (Doubles)(sine ^ exchange ^ sine_sign)};
}

inline Both<Doubles> box_muller(const Both<Doubles>& uniform) {
  const Doubles radius = square_root(-2.0 * logarithm(uniform.first));
  const Both<Doubles> direction = cosine_and_sine(uniform.second);
  return {radius * direction.first, radius * direction.second};
}

/// The choice of whether the numbers that a function fills have values before.
enum class Before { unset, set };

/// Calls `process(k, part)` for the pairs k, k + 1, ... of each vector. The last vector may be incomplete: its part is
/// a buffer, which is copied to `numbers`, and from it if it is set.
template <Before before, class Process>
inline void for_each_vector(double* numbers, std::size_t pairs, Process process) {
  std::size_t k = 0;
  for (; k + kLanes <= pairs; k += kLanes) process(k, numbers + 2 * k);
  if (k == pairs) return;
  double part[2 * kLanes];
  for (std::size_t i = 0; i < 2 * kLanes; ++i) {
    part[i] = before == Before::set && 2 * k + i < 2 * pairs ? numbers[2 * k + i] : 0.5;
  }
  process(k, part);
  for (std::size_t i = 0; 2 * k + i < 2 * pairs; ++i) numbers[2 * k + i] = part[i];
}

void fill_uniform(const PhiloxKey& key, std::uint64_t first_block, double* out, std::size_t pairs) {
  Words index{};
  for (std::size_t i = 0; i < kLanes; ++i) index[i] = first_block + i;
  for_each_vector<Before::unset>(out, pairs, [&](std::size_t k, double* part) {
    const Both<Words> bits = philox(key, index + k);
    store({unit_intervals(bits.first), unit_intervals(bits.second)}, part);
  });
}

void make_normal(double* numbers, std::size_t pairs) {
  for_each_vector<Before::set>(numbers, pairs, [](std::size_t, double* part) { store(box_muller(load(part)), part); });
}

void take_logarithms(double* numbers, std::size_t count) {
  std::size_t first = 0;
  Doubles lanes;
  for (; first + kLanes <= count; first += kLanes) {
    __builtin_memcpy(&lanes, numbers + first, sizeof lanes);
    lanes = logarithm(lanes);
    __builtin_memcpy(numbers + first, &lanes, sizeof lanes);
  }
  if (first == count) return;
  lanes = all(1.0);
  for (std::size_t i = 0; first + i < count; ++i) lanes[i] = numbers[first + i];
  lanes = logarithm(lanes);
  for (std::size_t i = 0; first + i < count; ++i) numbers[first + i] = lanes[i];
}

}  // namespace
}  // namespace longrun
// NOLINTEND(google-build-namespaces,misc-definitions-in-headers)
