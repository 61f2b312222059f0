#pragma once

#include <charconv>
#include <optional>
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

}  // namespace longrun
