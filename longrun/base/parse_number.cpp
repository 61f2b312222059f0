#include "longrun/base/parse_number.h"

#include <algorithm>

namespace longrun {
namespace {

constexpr std::string_view kSeparators = ",'_ ";

bool are_digits(std::string_view text) { return !text.empty() && std::all_of(text.begin(), text.end(), is_digit); }

/// Returns the digits of a whole number that is written in groups of three with this separator; else an empty text.
std::string without_groups(std::string_view text, char separator) {
  std::string digits;
  for (bool is_first = true;; is_first = false) {
    const std::size_t end = text.find(separator);
    const std::string_view group = text.substr(0, end);
    const bool is_last = end == std::string_view::npos;
    const bool fits = is_first ? group.size() <= 3 && !is_last : group.size() == 3;
    if (!fits || !are_digits(group)) return "";
    digits += group;
    if (is_last) return digits;
    text.remove_prefix(end + 1);
  }
}

}  // namespace

bool is_whole_number(std::string_view text) {
  if (text.starts_with('-')) text.remove_prefix(1);
  return are_digits(text);
}

std::string separator_hint(std::string_view text) {
  const std::size_t point = text.find('.');
  const std::string_view whole = text.substr(0, point);
  const std::string_view decimals = point == std::string_view::npos ? std::string_view{} : text.substr(point);
  if (decimals.empty() || are_digits(decimals.substr(1))) {
    for (const char separator : kSeparators) {
      const std::string digits = without_groups(whole, separator);
      if (!digits.empty()) return ", without separators: " + digits + std::string(decimals);
    }
  }
  if (std::count(text.begin(), text.end(), '.') > 1) {
    const std::string digits = without_groups(text, '.');
    if (!digits.empty()) return ", without separators: " + digits;
  }
  return "";
}

std::string number_hint(std::string_view text) {
  if (std::string hint = separator_hint(text); !hint.empty()) return hint;
  const std::size_t comma = text.find(',');
  if (comma == std::string_view::npos || !are_digits(text.substr(0, comma)) || !are_digits(text.substr(comma + 1))) {
    return "";
  }
  return ", with a decimal point: " + std::string(text.substr(0, comma)) + "." + std::string(text.substr(comma + 1));
}

}  // namespace longrun
