#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>

namespace longrun {

/// Returns a seed as JSON: a number up to 2^53, a text above. Many readers of JSON, such as JavaScript, keep numbers as
/// doubles, and would change the last digits of a larger one.
inline nlohmann::ordered_json seed_json(std::uint64_t seed) {
  constexpr std::uint64_t kLargestExact = std::uint64_t{1} << 53U;
  if (seed <= kLargestExact) return seed;
  return std::to_string(seed);
}

}  // namespace longrun
