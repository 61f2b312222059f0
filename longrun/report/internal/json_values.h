#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

namespace longrun {

/// Returns a seed as JSON: a number up to 2^53, a text above. Many readers of JSON, such as JavaScript, keep numbers as
/// doubles, and would change the last digits of a larger one.
inline nlohmann::ordered_json seed_json(std::uint64_t seed) {
  constexpr std::uint64_t kLargestExact = std::uint64_t{1} << 53U;
  if (seed <= kLargestExact) return seed;
  return std::to_string(seed);
}

/// Returns a number as JSON, or null if there is none.
inline nlohmann::ordered_json number_json(const std::optional<double>& number) {
  return number ? nlohmann::ordered_json(*number) : nlohmann::ordered_json();
}

}  // namespace longrun
