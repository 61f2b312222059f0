#include "longrun/data/other_date.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <iterator>
#include <span>
#include <string>
#include <vector>

#include "longrun/base/parse_number.h"
#include "longrun/base/text.h"
#include "longrun/data/same_look.h"

namespace longrun {
namespace {

constexpr std::array<std::string_view, 12> kMonths{"january",   "february", "march",    "april",
                                                   "may",       "june",     "july",     "august",
                                                   "september", "october",  "november", "december"};
/// A month in German, French, Spanish, Portuguese or Italian, or its usual short form, without accents.
struct OtherMonth {
  std::string_view name;
  int month;
};
constexpr OtherMonth kOtherMonths[] = {
    {"sept", 9},       {"januar", 1},    {"februar", 2},    {"maerz", 3},     {"marz", 3},       {"mrz", 3},
    {"mai", 5},        {"juni", 6},      {"juli", 7},       {"okt", 10},      {"oktober", 10},   {"dez", 12},
    {"dezember", 12},  {"janv", 1},      {"janvier", 1},    {"fevr", 2},      {"fev", 2},        {"fevrier", 2},
    {"mars", 3},       {"avr", 4},       {"avril", 4},      {"juin", 6},      {"juil", 7},       {"juillet", 7},
    {"aout", 8},       {"septembre", 9}, {"octobre", 10},   {"novembre", 11}, {"decembre", 12},  {"ene", 1},
    {"enero", 1},      {"febrero", 2},   {"marzo", 3},      {"abr", 4},       {"abril", 4},      {"mayo", 5},
    {"junio", 6},      {"julio", 7},     {"ago", 8},        {"agosto", 8},    {"septiembre", 9}, {"octubre", 10},
    {"noviembre", 11}, {"dic", 12},      {"diciembre", 12}, {"janeiro", 1},   {"fevereiro", 2},  {"marco", 3},
    {"maio", 5},       {"junho", 6},     {"julho", 7},      {"setembro", 9},  {"outubro", 10},   {"novembro", 11},
    {"dezembro", 12},  {"gennaio", 1},   {"febbraio", 2},   {"aprile", 4},    {"maggio", 5},     {"giugno", 6},
    {"luglio", 7},     {"settembre", 9}, {"ottobre", 10},   {"dicembre", 12}, {"gen", 1},        {"mag", 5},
    {"giu", 6},        {"lug", 7},       {"set", 9},        {"ott", 10},      {"out", 10},       {"jaenner", 1},
    {"janner", 1}};
constexpr std::array<std::string_view, 7> kWeekWords{"w", "kw", "cw", "wk", "week", "woche", "semaine"};
constexpr std::array<std::string_view, 7> kWeekdays{"monday", "tuesday",  "wednesday", "thursday",
                                                    "friday", "saturday", "sunday"};
constexpr std::size_t kShortName = 3;  // letters
constexpr int kNone = -1;              // a part of a date that its text does not state
constexpr int kFirstOfCentury = 69;    // years of two digits before it are those of the next century (POSIX)

/// Returns the number of a name, from 1, by the whole name or its first three letters; 0 for any other word.
template <std::size_t count>
int number_of_name(const std::string& word, const std::array<std::string_view, count>& names) {
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (word == names[i] || word == names[i].substr(0, kShortName)) return static_cast<int>(i) + 1;
  }
  return 0;
}

/// A group of digits or of letters, and the characters before it.
struct Group {
  std::string text;
  std::string before;

  bool digits() const { return is_digit(text[0]); }
  std::size_t size() const { return text.size(); }
  int number() const { return digits() ? parse_number<int>(text).value_or(kNone) : kNone; }
  int month() const {
    if (const int english = number_of_name(text, kMonths); english > 0) return english;
    const auto* other = std::find_if(std::begin(kOtherMonths), std::end(kOtherMonths),
                                     [&](const OtherMonth& each) { return each.name == text; });
    return other == std::end(kOtherMonths) ? 0 : other->month;
  }
  /// Returns the year that the digits state, of four or of two digits; kNone for any other group.
  int year() const {
    if (!digits() || (size() != 4 && size() != 2)) return kNone;
    if (size() == 4) return number();
    return number() + (number() < kFirstOfCentury ? 2000 : 1900);
  }
};

/// Returns a text without the accents of its letters, and without the "de" of "27 de octubre de 2023".
std::string without_accents(std::string_view text) {
  const auto is_ascii = [](char c) { return static_cast<unsigned char>(c) < 0x80; };
  std::string plain(text);
  if (!std::all_of(text.begin(), text.end(), is_ascii)) {
    plain.clear();
    const std::string look = same_look(text);
    for (std::size_t i = 0; i < look.size(); ++i) {
      const bool is_accent = look[i] == '\xCC' || look[i] == '\xCD';  // the first byte of U+0300 to U+037F
      if (is_accent) {
        ++i;
      } else {
        plain += look[i];
      }
    }
  }
  return replaced(plain, " de ", " ");
}

std::vector<Group> groups_of(std::string_view text) {
  const auto kind = [](char c) { return is_digit(c) ? 1 : c >= 'a' && c <= 'z' ? 2 : 0; };
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

/// A date, as far as a text states it.
struct DateParts {
  int year = kNone;
  int month = kNone;
  int day = kNone;
  std::size_t groups = 0;  // that state it
};

bool is_separated(const Group& group) {
  return group.before.size() <= 2 && group.before.find_first_not_of(" ,.-/") == std::string::npos;
}

/// Returns a date of three numbers; nullopt for any other.
std::optional<DateParts> date_of_numbers(std::span<const Group> groups, DateOrder order) {
  if (groups.size() < 3 || !groups[0].digits() || !groups[1].digits() || !groups[2].digits()) return std::nullopt;
  const std::string& separator = groups[1].before;
  const bool usual = separator == "." || separator == "/" || separator == "-";
  if (!usual || groups[2].before != separator || groups[1].size() > 2) return std::nullopt;
  const bool has_long_year = groups[0].size() == 4 || groups[2].size() == 4;
  if (groups[0].size() == 4 || (order == DateOrder::year_first && !has_long_year && separator == "-")) {
    if (groups[0].year() == kNone || groups[2].size() > 2) return std::nullopt;
    return DateParts{groups[0].year(), groups[1].number(), groups[2].number(), 3};
  }
  if (order == DateOrder::year_first || groups[2].year() == kNone || groups[0].size() > 2) return std::nullopt;
  const std::size_t day = order == DateOrder::day_first ? 0 : 1;
  return DateParts{groups[2].year(), groups[1 - day].number(), groups[day].number(), 3};
}

/// Returns a date of the name of a month, a day and a year; nullopt for any other.
std::optional<DateParts> date_with_name(std::span<const Group> groups) {
  if (groups.size() < 3 || !groups[2].digits() || !is_separated(groups[1]) || !is_separated(groups[2]))
    return std::nullopt;
  const std::size_t name = groups[0].month() > 0 ? 0 : 1;
  const std::size_t other = 1 - name;
  if (groups[name].month() == 0 || !groups[other].digits()) return std::nullopt;
  const bool year_is_first = name == 1 && groups[0].size() == 4;
  const Group& year = groups[year_is_first ? 0 : 2];
  const Group& day = groups[year_is_first ? 2 : other];
  if (year.year() == kNone || day.size() > 2) return std::nullopt;
  return DateParts{year.year(), groups[name].month(), day.number(), 3};
}

/// Returns a month of a year, or a day without its year, of two groups; nullopt for any other.
std::optional<DateParts> month_or_day(std::span<const Group> groups, DateOrder order) {
  if (groups.size() != 2 || !is_separated(groups[1])) return std::nullopt;
  const std::size_t name = groups[0].month() > 0 ? 0 : 1;
  const Group& number = groups[1 - name];
  if (!number.digits()) return std::nullopt;
  if (groups[name].month() == 0) {  // 10/2023
    const bool is_month = groups[0].size() <= 2 && groups[1].size() == 4 && groups[1].before == "/";
    return is_month ? std::optional(DateParts{groups[1].year(), groups[0].number(), kNone, 2}) : std::nullopt;
  }
  const DateOrder year_if = name == 0 ? DateOrder::day_first : DateOrder::year_first;
  if (number.size() == 4 || (number.size() == 2 && order == year_if))
    return DateParts{number.year(), groups[name].month(), kNone, 2};
  if (number.size() > 2 || (name == 0 && order == DateOrder::year_first)) return std::nullopt;
  return DateParts{kNone, groups[name].month(), number.number(), 2};
}

/// Returns the first month of a quarter with its year; nullopt for any other text.
std::optional<DateParts> quarter_of(std::span<const Group> groups) {
  constexpr int kQuarters = 4;
  if (groups.size() != 3 || !is_separated(groups[1]) || !is_separated(groups[2])) return std::nullopt;
  const std::size_t letter = groups[0].text == "q" ? 0 : 1;
  const Group& quarter = groups[letter + 1];
  const Group& year = groups[letter == 0 ? 2 : 0];
  const bool is_quarter = groups[letter].text == "q" && quarter.before.empty() && year.size() == 4;
  if (!is_quarter || quarter.number() < 1 || quarter.number() > kQuarters) return std::nullopt;
  return DateParts{year.year(), 3 * quarter.number() - 2, kNone, 3};
}

/// Returns a week of a year, such as "KW 5/2023", "W5 2023" or "2023-W5", or without a year, "KW 5", which is a number;
/// nullopt for any other text.
std::optional<TimeStamp> week_of(std::span<const Group> groups) {
  constexpr int kMostWeeks = 53;
  if (groups.size() < 2 || groups.size() > 3) return std::nullopt;
  const auto is_week_word = [](const Group& group) {
    return std::find(kWeekWords.begin(), kWeekWords.end(), group.text) != kWeekWords.end();
  };
  const std::size_t word = is_week_word(groups[0]) ? 0 : 1;
  if (!is_week_word(groups[word]) || word + 1 == groups.size()) return std::nullopt;
  const Group& week = groups[word + 1];
  const bool is_number = week.digits() && week.size() <= 2 && week.number() >= 1 && week.number() <= kMostWeeks;
  if (!is_number || !is_separated(week) || !is_separated(groups[1])) return std::nullopt;
  if (groups.size() == 2)
    return word == 0 ? std::optional(TimeStamp{.value = static_cast<long double>(week.number())}) : std::nullopt;
  const Group& year = groups[word == 0 ? 2 : 0];
  if (!year.digits() || year.size() != 4 || !is_separated(groups[2])) return std::nullopt;
  return parse_time_stamp(fmt::format("{}-W{:02}", year.text, week.number()));
}

std::optional<DateParts> parts_of(std::span<const Group> groups, DateOrder order) {
  if (groups.size() == 1 && groups[0].month() > 0) return DateParts{kNone, groups[0].month(), kNone, 1};
  if (const auto date = date_of_numbers(groups, order)) return date;
  if (const auto date = date_with_name(groups)) return date;
  if (const auto quarter = quarter_of(groups)) return quarter;
  return month_or_day(groups, order);
}

/// The time of day after a date.
struct TimeOfDay {
  long double seconds = 0;
  TimeStamp::Kind kind = TimeStamp::Kind::local;
};

/// Returns the time of day that the groups after a date state; midnight if there are none, nullopt for any other text.
std::optional<TimeOfDay> time_of(std::span<const Group> groups) {
  constexpr std::array<int, 3> kMost{23, 59, 59};
  constexpr std::array<long double, 3> kSeconds{3600, 60, 1};
  constexpr int kNoon = 12;
  TimeOfDay time;
  std::size_t numbers = 0;
  for (; numbers < std::min(groups.size(), kMost.size()) && groups[numbers].digits(); ++numbers) {
    const Group& group = groups[numbers];
    const bool separated =
        numbers == 0 ? group.before == " " || group.before == ", " || group.before == "t" : group.before == ":";
    if (!separated || group.number() > kMost[numbers]) return std::nullopt;
    time.seconds += kSeconds[numbers] * static_cast<long double>(group.number());
  }
  auto rest = groups.subspan(numbers);
  if (numbers == kMost.size() && !rest.empty() && rest[0].digits() && rest[0].before == ".") rest = rest.subspan(1);
  const bool has_half = !rest.empty() && (rest[0].text == "am" || rest[0].text == "pm");
  if (has_half) {
    const int hour = numbers == 0 ? 0 : groups[0].number();
    if (hour < 1 || hour > kNoon) return std::nullopt;
    if (hour == kNoon) time.seconds -= kSeconds[0] * kNoon;
    if (rest[0].text == "pm") time.seconds += kSeconds[0] * kNoon;
    rest = rest.subspan(1);
  } else if (numbers == 1) {
    return std::nullopt;  // an hour alone
  }
  if (numbers > 1 && !rest.empty() && (rest[0].text == "gmt" || rest[0].text == "utc" || rest[0].text == "z")) {
    time.kind = TimeStamp::Kind::utc;
    rest = rest.subspan(1);
  }
  if (!rest.empty()) return std::nullopt;
  return time;
}

}  // namespace

bool ends_with_year(std::string_view text) {
  constexpr int kFirst = 1900;
  constexpr int kLast = 2099;
  const bool are_digits = text.find_first_not_of("0123456789") == std::string_view::npos;
  if (!are_digits || text.size() < 7 || text.size() > 8) return false;
  const std::string digits = text.size() == 7 ? "0" + std::string(text) : std::string(text);
  const int first = parse_number<int>(digits.substr(0, 2)).value_or(0);
  const int second = parse_number<int>(digits.substr(2, 2)).value_or(0);
  const int year = parse_number<int>(digits.substr(4)).value_or(0);
  const bool has_month = std::min(first, second) >= 1 && std::min(first, second) <= 12;
  return has_month && std::max(first, second) <= 31 && year >= kFirst && year <= kLast;
}

std::optional<TimeStamp> parse_six_digits(std::string_view text, DateOrder order) {
  constexpr std::size_t kDigits = 6;
  const bool has_form = text.size() == kDigits && text.find_first_not_of("0123456789") == std::string_view::npos;
  if (!has_form || order == DateOrder::year_first) return std::nullopt;
  std::string date(text.substr(0, 2));
  date.append("/").append(text.substr(2, 2)).append("/").append(text.substr(4));
  return parse_other_date(date, order);
}

std::optional<TimeStamp> parse_month_with_point(std::string_view text) {
  constexpr std::size_t kYear = 4;  // digits
  const std::size_t point = text.find('.');
  const bool has_form = (point == 1 || point == 2) && text.size() == point + 1 + kYear &&
                        text.find_first_not_of("0123456789.") == std::string_view::npos &&
                        (text.substr(point + 1, 2) == "19" || text.substr(point + 1, 2) == "20");
  if (!has_form) return std::nullopt;
  return parse_other_date(std::string(text.substr(0, point)) + "/" + std::string(text.substr(point + 1)),
                          DateOrder::day_first);
}

bool may_be_a_version(std::string_view text) {
  const std::vector<Group> groups = groups_of(text);
  const bool are_short =
      std::all_of(groups.begin(), groups.end(), [](const Group& group) { return group.digits() && group.size() <= 2; });
  if (groups.size() != 3 || !are_short) return false;
  const std::string& separator = groups[1].before;
  return (separator == "." || separator == "-") && groups[2].before == separator;
}

std::optional<TimeStamp> parse_other_date(std::string_view text, DateOrder order) {
  constexpr int kLongestMonth = 31;
  const std::vector<Group> all = groups_of(without_accents(text));
  std::span<const Group> groups(all);
  if (!groups.empty() && !groups[0].before.empty()) return std::nullopt;
  if (const auto week = week_of(groups)) return week;
  const bool has_weekday = groups.size() > 3 && number_of_name(groups[0].text, kWeekdays) > 0;
  if (has_weekday && is_separated(groups[1])) groups = groups.subspan(1);
  const auto parts = parts_of(groups, order);
  if (!parts) return std::nullopt;
  const auto& [year, month, day, count] = *parts;
  const std::chrono::year_month_day date{std::chrono::year(year == kNone ? 2000 : year),  // 2000 has a February 29
                                         std::chrono::month(static_cast<unsigned>(month)),
                                         std::chrono::day(static_cast<unsigned>(day == kNone ? 1 : day))};
  if (month < 1 || day == 0 || !date.ok()) return std::nullopt;
  const auto time = time_of(groups.subspan(count));
  if (!time) return std::nullopt;
  if (year == kNone) {
    const int in_year = kLongestMonth * month + (day == kNone ? 0 : day);
    return TimeStamp{.kind = TimeStamp::Kind::number, .value = static_cast<long double>(in_year)};
  }
  const auto days = std::chrono::sys_days(date).time_since_epoch().count();
  return TimeStamp{.kind = day == kNone ? TimeStamp::Kind::month : time->kind,
                   .value = 86'400.0L * static_cast<long double>(days) + time->seconds};
}

}  // namespace longrun
