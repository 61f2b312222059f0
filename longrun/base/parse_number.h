#pragma once

#include <charconv>
#include <optional>
#include <string_view>

namespace longrun {

/// The whole text as a number of type T (a leading + is fine), or nothing. Reads "nan" and "inf" too: callers say
/// whether they are allowed.
template <class T = double>
std::optional<T> parse_number(std::string_view text) {
  if (text.size() > 1 && text[0] == '+' && text[1] != '-') text.remove_prefix(1);
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

}  // namespace longrun
