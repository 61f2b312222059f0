#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace longrun {

/// Two numbers in one register, of GCC and Clang: an operator applies to both. Every processor with 64 bits divides two
/// numbers, or takes their roots, in the time of one, and rounds each as if it were alone.
using Pair = double __attribute__((vector_size(16)));

inline double square_root(double x) { return std::sqrt(x); }
inline Pair square_root(Pair x) {
#if defined(__SSE2__)
  return _mm_sqrt_pd(x);
#else
  return Pair{std::sqrt(x[0]), std::sqrt(x[1])};
#endif
}

/// Returns `value` where `condition` is above 0, else `otherwise`.
inline double where_positive(double condition, double value, double otherwise) {
  return condition > 0 ? value : otherwise;
}
inline Pair where_positive(Pair condition, Pair value, double otherwise) {
  return condition > Pair{} ? value : Pair{otherwise, otherwise};
}

/// Reads and writes numbers of an array, one or two. Numbers are read in the widths in which they were written: a
/// processor waits if it reads two numbers together that it has just written one by one.
template <class Lanes>
Lanes load_lanes(const double* from) {
  Lanes lanes;
  std::memcpy(&lanes, from, sizeof lanes);
  return lanes;
}
template <class Lanes>
void store_lanes(double* to, const Lanes& lanes) {
  std::memcpy(to, &lanes, sizeof lanes);
}

namespace pair_detail {

using Words = std::int64_t __attribute__((vector_size(16)));
alignas(16) inline constexpr std::int64_t kLaneMasks[3][2] = {{-1, 0}, {0, -1}, {0, 0}};

/// Returns all bits in lane number `lane`; none if it is beyond the last.
inline Words lane_mask(std::size_t lane) {
  Words mask;
  std::memcpy(&mask, kLaneMasks[lane < 2 ? lane : 2], sizeof mask);
  return mask;
}

}  // namespace pair_detail

/// Returns `value` in lane number `lane`, and 0 in all others. A lane beyond the last is none of them.
template <class Lanes>
Lanes in_lane(std::size_t lane, double value) {
  if constexpr (sizeof(Lanes) == sizeof(double)) {
    return lane == 0 ? value : 0;
  } else {
    return (Pair)(pair_detail::lane_mask(lane) & (pair_detail::Words)Pair{value, value});
  }
}

/// Returns `lanes` with `value` in lane number `lane`; unchanged if the lane is beyond the last.
template <class Lanes>
Lanes with_lane(const Lanes& lanes, std::size_t lane, double value) {
  if constexpr (sizeof(Lanes) == sizeof(double)) {
    return lane == 0 ? value : lanes;
  } else {
    using pair_detail::Words;
    const Words only = pair_detail::lane_mask(lane);
    return (Pair)((only & (Words)Pair{value, value}) | (~only & (Words)lanes));
  }
}

/// Calls `visit(first, lanes)` for the numbers first, first + 1, ... of an array with `count` numbers: two at a time,
/// with a Pair, and the last of an odd number with a double.
template <class Visit>
void for_each_lanes(std::size_t count, Visit visit) {
  if (count == 2) return visit(0, Pair{});  // the most frequent number: without a loop
  std::size_t first = 0;
  for (; first + 2 <= count; first += 2) visit(first, Pair{});
  if (first < count) visit(first, double{});
}

}  // namespace longrun
