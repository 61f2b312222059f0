#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace longrun {

// `Json` is nlohmann::json or nlohmann::ordered_json; an installed header does not include them.

/// Returns a seed as JSON: a number up to 2^53, a text above. Many readers of JSON, such as JavaScript, keep numbers as
/// doubles, and would change the last digits of a larger one.
template <class Json>
Json seed_json(std::uint64_t seed) {
  constexpr std::uint64_t kLargestExact = std::uint64_t{1} << 53U;
  if (seed <= kLargestExact) return seed;
  return std::to_string(seed);
}

/// Returns a number as JSON, or null if there is none.
template <class Json>
Json number_json(const std::optional<double>& number) {
  return number ? Json(*number) : Json();
}

}  // namespace longrun
