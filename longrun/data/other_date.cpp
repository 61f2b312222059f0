#include "longrun/data/other_date.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <string>
#include <vector>

#include "longrun/base/parse_number.h"
#include "longrun/base/text.h"

namespace longrun {
namespace {

constexpr std::array<std::string_view, 12> kMonths{"january",   "february", "march",    "april",
                                                   "may",       "june",     "july",     "august",
                                                   "september", "october",  "november", "december"};
constexpr std::size_t kShortMonth = 3;  // letters

/// Returns the number of a month from its English name or the first three letters of it; 0 for any other word.
int month_named(const std::string& word) {
  for (std::size_t i = 0; i < kMonths.size(); ++i) {
    if (word == kMonths[i] || word == kMonths[i].substr(0, kShortMonth)) return static_cast<int>(i) + 1;
  }
  return 0;
}

/// A group of digits or of letters, and the characters before it.
struct Group {
  std::string text;
  std::string before;

  bool digits() const { return text[0] >= '0' && text[0] <= '9'; }
};

std::vector<Group> groups_of(std::string_view text) {
  const auto kind = [](char c) { return c >= '0' && c <= '9' ? 1 : c >= 'a' && c <= 'z' ? 2 : 0; };
  std::vector<Group> groups;
  std::string before;
  int last = 0;
  for (const char c : lower_case(std::string(text))) {
    const int now = kind(c);
    if (now == 0) {
      before += c;
    } else if (now == last) {
      groups.back().text += c;
    } else {
      groups.push_back({.text = std::string(1, c), .before = before});
      before.clear();
    }
    last = now;
  }
  if (!before.empty()) groups.push_back({.text = " ", .before = before});  // what follows the last group
  return groups;
}

/// Returns the year, month and day that three groups state, in this order; nullopt if they are no date.
std::optional<std::array<int, 3>> date_of(const std::vector<Group>& groups, DateOrder order) {
  const auto number = [&](std::size_t i) { return parse_number<int>(groups[i].text).value_or(-1); };
  const bool named = !groups[0].digits() || !groups[1].digits();
  const std::string& separator = groups[1].before;
  if (named) {
    const std::size_t month = groups[0].digits() ? 1 : 0;
    const bool blanks = separator.find_first_not_of(" ,.-") == std::string::npos;
    if (!blanks || !groups[1 - month].digits() || !groups[2].digits() || groups[2].text.size() != 4)
      return std::nullopt;
    return std::array{number(2), month_named(groups[month].text), number(1 - month)};
  }
  const bool usual = separator == "." || separator == "/" || separator == "-";
  if (!usual || groups[2].before != separator || !groups[2].digits()) return std::nullopt;
  if (groups[0].text.size() == 4) return std::array{number(0), number(1), number(2)};
  if (groups[2].text.size() != 4 || groups[0].text.size() > 2 || groups[1].text.size() > 2) return std::nullopt;
  const bool day_first = order == DateOrder::day_first;
  return std::array{number(2), number(day_first ? 1 : 0), number(day_first ? 0 : 1)};
}

/// Returns the seconds of a time of day that the groups after a date state; nullopt if they state none.
std::optional<long double> time_of(const std::vector<Group>& groups) {
  constexpr std::array<int, 3> kMost{23, 59, 59};
  constexpr std::array<long double, 3> kSeconds{3600, 60, 1};
  if (groups.size() < 5 || groups.size() > 6) return std::nullopt;
  long double seconds = 0;
  for (std::size_t i = 3; i < groups.size(); ++i) {
    const std::string& before = groups[i].before;
    const bool separated = i == 3 ? before == " " || before == ", " : before == ":";
    const int value = groups[i].digits() ? parse_number<int>(groups[i].text).value_or(-1) : -1;
    if (!separated || value < 0 || value > kMost[i - 3]) return std::nullopt;
    seconds += kSeconds[i - 3] * static_cast<long double>(value);
  }
  return seconds;
}

}  // namespace

std::optional<TimeStamp> parse_other_date(std::string_view text, DateOrder order) {
  const std::vector<Group> groups = groups_of(text);
  if (groups.size() < 3 || !groups[0].before.empty()) return std::nullopt;
  const auto parts = date_of(groups, order);
  if (!parts) return std::nullopt;
  const auto& [year, month, day] = *parts;
  if (month < 1 || day < 1) return std::nullopt;
  const std::chrono::year_month_day date{std::chrono::year(year), std::chrono::month(static_cast<unsigned>(month)),
                                         std::chrono::day(static_cast<unsigned>(day))};
  if (!date.ok()) return std::nullopt;
  const auto time = groups.size() == 3 ? std::optional(0.0L) : time_of(groups);
  if (!time) return std::nullopt;
  const auto days = std::chrono::sys_days(date).time_since_epoch().count();
  return TimeStamp{.kind = TimeStamp::Kind::local, .value = 86'400.0L * static_cast<long double>(days) + *time};
}

std::optional<TimeStamp> parse_month_name(std::string_view text) {
  const int month = month_named(lower_case(std::string(text)));
  if (month == 0) return std::nullopt;
  return TimeStamp{.kind = TimeStamp::Kind::number, .value = static_cast<long double>(month)};
}

bool looks_like_a_date(std::string_view text) {
  int digits = 0;
  bool month = false;
  for (const Group& group : groups_of(text)) {
    if (group.before.find_first_not_of("./- ,:") != std::string::npos) return false;
    digits += group.digits() ? 1 : 0;
    month = month || month_named(group.text) > 0;
  }
  return digits >= 2 || (digits == 1 && month);
}

}  // namespace longrun
