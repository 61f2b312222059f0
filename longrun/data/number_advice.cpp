#include "longrun/data/number_advice.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "longrun/base/parse_number.h"
#include "longrun/base/text.h"

namespace longrun {
namespace {

constexpr std::array<std::string_view, 10> kCurrencies{"\u20AC", "$",   "\u00A3", "\u00A5", "EUR",
                                                       "USD",    "GBP", "CHF",    "JPY",    "CNY"};
constexpr std::array<std::string_view, 4> kDashes{"\u2212", "\u2013", "\u2010", "\uFF0D"};  // read as a minus sign
constexpr std::array<std::string_view, 7> kBlanksWithin{" ",      "\u00A0", "\u2009", "\u202F",
                                                        "\u2019", "'",      "_"};  // that separate thousands

constexpr std::size_t kDigitsOfGroup = 3;  // between separators of thousands

bool remove_before(std::string_view& text, std::string_view part) {
  if (!text.starts_with(part)) return false;
  text.remove_prefix(part.size());
  return true;
}

bool remove_after(std::string_view& text, std::string_view part) {
  if (!text.ends_with(part)) return false;
  text.remove_suffix(part.size());
  return true;
}

/// An amount without the parts of it that a number does not have, and what was changed.
class Amount {
 public:
  explicit Amount(std::string_view text) : rest_(text) {
    while (remove_one()) {
    }
  }

  /// Returns the advice; empty if what is left is not a number.
  std::string advice() {
    const std::string digits = without_separators();
    const std::size_t comma = digits.find(',');
    if (comma == std::string::npos) return advice_to_write(digits);
    if (comma != digits.rfind(',') || digits.find('.') != std::string::npos) return "";
    std::string decimal = digits;
    decimal[comma] = '.';
    if (!is_plain(decimal)) return "";
    const bool may_separate =
        digits.size() - comma - 1 == kDigitsOfGroup && comma > 0 && comma <= kDigitsOfGroup && digits[0] != '0';
    if (may_separate) {
      return fmt::format("; write {} if the comma is a decimal mark, or {} if it separates thousands{}{}",
                         written(decimal), written(digits.substr(0, comma) + digits.substr(comma + 1)),
                         changes_.empty() ? "" : ", ", fmt::join(changes_, ", "));
    }
    if (changes_.empty()) return "; the decimal mark must be a point";
    changes_.emplace_back("with a decimal point");
    return advice_to_write(decimal);
  }

 private:
  /// Removes one part. Returns whether there was one.
  bool remove_one() {
    if (remove_before(rest_, " ") || remove_after(rest_, " ") || remove_before(rest_, "\u00A0") ||
        remove_after(rest_, "\u00A0"))
      return true;
    return remove_sign() || remove_currency() || remove_multiple();
  }

  bool remove_sign() {
    if (negative_) return false;
    if (rest_.starts_with('(') && rest_.ends_with(')')) {
      rest_ = rest_.substr(1, rest_.size() - 2);
      return make_negative("with a minus sign instead of parentheses");
    }
    if (remove_before(rest_, "-")) return make_negative("");
    if (remove_after(rest_, "-")) return make_negative("with the minus sign first");
    const auto is_dash = [&](std::string_view dash) { return remove_before(rest_, dash); };
    return std::any_of(kDashes.begin(), kDashes.end(), is_dash) && make_negative("with the minus sign -");
  }

  bool make_negative(const char* change) {
    negative_ = true;
    if (*change != '\0') changes_.emplace_back(change);
    return true;
  }

  bool remove_currency() {
    if (has_currency_) return false;
    has_currency_ = std::any_of(kCurrencies.begin(), kCurrencies.end(), [&](std::string_view currency) {
      return remove_before(rest_, currency) || remove_after(rest_, currency);
    });
    if (has_currency_) changes_.emplace_back("without the currency");
    return has_currency_;
  }

  bool remove_multiple() {
    constexpr double kThousand = 1e3;
    constexpr double kMillion = 1e6;
    const bool follows_digit = rest_.size() > 1 && is_digit(rest_[rest_.size() - 2]);
    if (multiple_ != 1 || !follows_digit) return false;
    const char letter = rest_.back();
    if (letter != 'k' && letter != 'K' && letter != 'M') return false;
    multiple_ = letter == 'M' ? kMillion : kThousand;
    changes_.push_back(fmt::format("without '{}'", letter));
    rest_.remove_suffix(1);
    return true;
  }

  /// Returns the rest without separators of thousands: all marks but the last of a text with points and commas, several
  /// equal ones, and blanks or apostrophes before three digits.
  std::string without_separators() {
    std::string digits(rest_);
    for (const std::string_view blank : kBlanksWithin) {
      for (std::size_t at = digits.find(blank); at != std::string::npos; at = digits.find(blank, at)) {
        if (!separates_group(digits, at, blank.size())) return digits;
        digits.erase(at, blank.size());
      }
    }
    const std::size_t last = digits.find_last_of(",.");
    if (last != std::string::npos) {
      const char other = digits[last] == ',' ? '.' : ',';
      const bool several = std::count(digits.begin(), digits.end(), digits[last]) > 1;
      const char separator = several ? digits[last] : other;
      for (std::size_t at = digits.find(separator); at != std::string::npos; at = digits.find(separator, at)) {
        if (!separates_group(digits, at, 1)) return digits;
        digits.erase(at, 1);
      }
    }
    if (digits.size() == rest_.size()) return digits;
    const bool has_comma = digits.find(',') != std::string::npos;
    std::replace(digits.begin(), digits.end(), ',', '.');
    const bool has_point = digits.find('.') != std::string::npos;
    changes_.emplace_back(has_comma   ? "without separators of thousands and with a decimal point"
                          : has_point ? "without separators of thousands"
                                      : "without separators");
    return digits;
  }

  /// Returns whether digits are before these characters, and exactly three behind them.
  static bool separates_group(const std::string& text, std::size_t at, std::size_t size) {
    const std::size_t end = std::min(text.find_first_not_of("0123456789", at + size), text.size());
    return at > 0 && is_digit(text[at - 1]) && end - at - size == kDigitsOfGroup;
  }

  static bool is_plain(const std::string& digits) {
    return !digits.empty() && (is_digit(digits[0]) || digits[0] == '.') && parse_number(digits).has_value();
  }

  std::string written(const std::string& digits) const {
    const std::string number =
        multiple_ == 1 ? digits : fmt::format("{:.12g}", multiple_ * parse_number(digits).value_or(0));
    return (negative_ ? "-" : "") + number;
  }

  std::string advice_to_write(const std::string& digits) const {
    if (!is_plain(digits)) return "";
    return fmt::format("; write {}{}{}", written(digits), changes_.empty() ? "" : ", ", fmt::join(changes_, ", "));
  }

  std::string_view rest_;
  bool negative_ = false;
  bool has_currency_ = false;
  double multiple_ = 1;
  std::vector<std::string> changes_;
};

}  // namespace

std::string number_advice(std::string_view text) {
  const std::string word = lower_case(std::string(text));
  for (const char* answer : {"yes", "no", "true", "false"}) {
    if (word == answer) return "; write 1 for yes and 0 for no";
  }
  if (text.ends_with('%')) return "; write a share, such as 0.25 for 25 %";
  return Amount(text).advice();
}

}  // namespace longrun
