#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace longrun {

/// The largest number of decimals of a number that is counted exactly. With as many, kLongestHorizon is still 10^6
/// units.
inline constexpr int kMostDecimals = 6;

/// Returns the number of decimals that a decimal number needs: 2 for "0.250", 0 for "3", and 0 for any other text.
int decimals_of(std::string_view text);

/// Returns a decimal number, such as "2.5", times 10^decimals, or nullopt if the text is not one, is negative, needs
/// more decimals or is too large. Exact: no number is rounded.
std::optional<std::int64_t> parse_decimal(std::string_view text, int decimals);

/// Returns value / 10^decimals as text, without zeros at the end: "2.5" for 250 and 2 decimals.
std::string decimal_text(std::int64_t value, int decimals);

/// Returns 10^decimals, for 0 to kMostDecimals decimals.
constexpr std::int64_t power_of_ten(int decimals) {
  std::int64_t power = 1;
  for (int i = 0; i < decimals; ++i) power *= 10;
  return power;
}

}  // namespace longrun
