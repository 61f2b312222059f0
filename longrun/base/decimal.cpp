#include "longrun/base/decimal.h"

#include "longrun/base/parse_number.h"

namespace longrun {
namespace {

bool all_digits(std::string_view text) { return text.find_first_not_of("0123456789") == std::string_view::npos; }

/// The digits of a decimal number.
struct DecimalDigits {
  std::string_view whole;
  std::string_view decimals;  // without zeros at the end
};

std::optional<DecimalDigits> digits_of(std::string_view text) {
  if (!text.empty() && text[0] == '+') text.remove_prefix(1);
  const std::size_t point = text.find('.');
  DecimalDigits digits{text.substr(0, point), point == std::string_view::npos ? "" : text.substr(point + 1)};
  if (digits.whole.empty() && digits.decimals.empty()) return std::nullopt;
  if (!all_digits(digits.whole) || !all_digits(digits.decimals)) return std::nullopt;
  digits.decimals = digits.decimals.substr(0, digits.decimals.find_last_not_of('0') + 1);
  return digits;
}

}  // namespace

int decimals_of(std::string_view text) {
  const auto digits = digits_of(text);
  return digits ? static_cast<int>(digits->decimals.size()) : 0;
}

std::optional<std::int64_t> parse_decimal(std::string_view text, int decimals) {
  const auto digits = digits_of(text);
  if (!digits || digits->decimals.size() > static_cast<std::size_t>(decimals)) return std::nullopt;
  std::string scaled(digits->whole);
  scaled += digits->decimals;
  scaled.append(static_cast<std::size_t>(decimals) - digits->decimals.size(), '0');
  return parse_number<std::int64_t>(scaled);
}

std::string decimal_text(std::int64_t value, int decimals) {
  std::string text = std::to_string(value);
  if (decimals <= 0) return text;
  const std::size_t sign = value < 0 ? 1 : 0;
  const auto places = static_cast<std::size_t>(decimals);
  if (text.size() - sign <= places) text.insert(sign, places + 1 - (text.size() - sign), '0');
  text.insert(text.size() - places, 1, '.');
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text;
}

}  // namespace longrun
