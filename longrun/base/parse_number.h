#pragma once

#include <charconv>
#include <optional>
#include <string>
#include <string_view>

namespace longrun {

/// Returns the whole text as a number of type T, or nullopt. Accepts a leading + and, for floating-point types, "nan"
/// and "inf"; callers check whether those are valid.
template <class T = double>
std::optional<T> parse_number(std::string_view text) {
  if (text.size() > 1 && text[0] == '+' && text[1] != '-') text.remove_prefix(1);
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

/// Returns whether the character is one of 0 to 9.
constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// Returns whether the text is a whole number of any length: digits, perhaps after a minus sign.
bool is_whole_number(std::string_view text);

/// Returns what to say after "must be a whole number" about a text that is a number with separators: ", without
/// separators: 1000" for "1,000" or "1'000"; empty for any other text.
std::string separator_hint(std::string_view text);
/// Returns the same after "must be a number", also for a decimal comma: ", with a decimal point: 1.5" for "1,5".
std::string number_hint(std::string_view text);

}  // namespace longrun
