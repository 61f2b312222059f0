#include "longrun/data/time_stamp.h"

#include <chrono>
#include <cmath>

#include "longrun/base/parse_number.h"

namespace longrun {
namespace {

/// The parts of a date are read one after the other. A part that is not as it should be makes the whole text invalid.
class DateReader {
 public:
  explicit DateReader(std::string_view text) : rest_(text) {}

  bool valid() const { return valid_; }
  bool at_end() const { return rest_.empty(); }
  std::size_t size() const { return rest_.size(); }  ///< characters that are not read yet
  char next() const { return rest_.empty() ? '\0' : rest_.front(); }

  void skip(char expected) {
    valid_ = valid_ && next() == expected;
    if (!rest_.empty()) rest_.remove_prefix(1);
  }
  /// Reads a number of so many digits, which must be from `least` to `most`.
  int digits(std::size_t count, int least, int most) {
    const std::string_view text = rest_.substr(0, count);
    rest_.remove_prefix(text.size());
    const bool are_digits = text.size() == count && text.find_first_not_of("0123456789") == std::string_view::npos;
    const int number = are_digits ? parse_number<int>(text).value_or(-1) : -1;
    valid_ = valid_ && number >= least && number <= most;
    return number;
  }
  /// Reads a number of one or two digits, which must be from `least` to `most`.
  int short_digits(int least, int most) {
    const bool has_two = rest_.size() > 1 && is_digit(rest_[1]);
    return digits(has_two ? 2 : 1, least, most);
  }
  /// Reads the decimals of a second, after their point or comma.
  long double decimals() {
    rest_.remove_prefix(1);
    long double value = 0;
    long double place = 1;
    valid_ = valid_ && is_digit(next());
    for (; is_digit(next()); rest_.remove_prefix(1)) value += (place /= 10) * (next() - '0');
    return value;
  }

 private:
  std::string_view rest_;
  bool valid_ = true;
};

long double time_of_day(DateReader& reader) {
  long double seconds = 3600.0L * reader.digits(2, 0, 23);
  reader.skip(':');
  seconds += 60.0L * reader.digits(2, 0, 59);
  if (reader.next() != ':') return seconds;
  reader.skip(':');
  seconds += reader.digits(2, 0, 60);  // 60 is a leap second
  if (reader.next() == '.' || reader.next() == ',') seconds += reader.decimals();
  return seconds;
}

/// Returns the seconds by which a clock is ahead of UTC.
long double offset(DateReader& reader) {
  const int sign = reader.next() == '-' ? -1 : 1;
  reader.skip(reader.next());
  long double seconds = 3600.0L * reader.digits(2, 0, 23);
  if (reader.at_end()) return sign * seconds;
  if (reader.next() == ':') reader.skip(':');
  seconds += 60.0L * reader.digits(2, 0, 59);
  return sign * seconds;
}

/// Returns the first day of a week of ISO 8601: Monday. Week 1 contains January 4.
std::chrono::sys_days monday_of(std::chrono::year year, int week) {
  using std::chrono::days;
  const std::chrono::sys_days fourth = year / std::chrono::January / 4;
  return fourth - (std::chrono::weekday(fourth) - std::chrono::Monday) + days(7 * (week - 1));
}

long double seconds_of(std::chrono::sys_days day) {
  return 86'400.0L * static_cast<long double>(day.time_since_epoch().count());
}

/// Reads the rest of a week, after its W, and perhaps a day of it.
std::optional<TimeStamp> parse_week(DateReader& reader, std::chrono::year year) {
  reader.skip('W');
  const int week = reader.short_digits(1, 53);
  if (!reader.valid()) return std::nullopt;
  const std::chrono::sys_days monday = monday_of(year, week);
  if (monday >= monday_of(year + std::chrono::years(1), 1)) return std::nullopt;  // most years have 52 weeks
  if (reader.at_end()) return TimeStamp{.kind = TimeStamp::Kind::week, .value = seconds_of(monday)};
  reader.skip('-');
  const int day = reader.digits(1, 1, 7);
  if (!reader.valid() || !reader.at_end()) return std::nullopt;
  return TimeStamp{.kind = TimeStamp::Kind::local, .value = seconds_of(monday + std::chrono::days(day - 1))};
}

std::optional<TimeStamp> parse_date(std::string_view text) {
  DateReader reader(text);
  const std::chrono::year year(reader.digits(4, 0, 9999));
  const char separator = reader.next() == '/' ? '/' : '-';
  reader.skip(separator);
  if (!reader.valid()) return std::nullopt;
  if (reader.next() == 'W') return separator == '-' ? parse_week(reader, year) : std::nullopt;
  const std::size_t before_month = reader.size();
  const std::chrono::month month(static_cast<unsigned>(reader.short_digits(1, 12)));
  const bool is_padded = before_month - reader.size() == 2;  // 2024-1 may be a number with a year
  if (reader.valid() && reader.at_end() && is_padded)
    return TimeStamp{.kind = TimeStamp::Kind::month, .value = seconds_of(year / month / 1)};
  reader.skip(separator);
  const std::chrono::year_month_day date(year, month,
                                         std::chrono::day(static_cast<unsigned>(reader.short_digits(1, 31))));
  if (!reader.valid() || !date.ok()) return std::nullopt;
  TimeStamp time{.kind = TimeStamp::Kind::local, .value = seconds_of(date)};
  if (!reader.at_end()) {
    reader.skip(reader.next() == ' ' ? ' ' : 'T');
    time.value += time_of_day(reader);
    if (reader.next() == 'Z') {
      reader.skip('Z');
      time.kind = TimeStamp::Kind::utc;
    } else if (reader.next() == '+' || reader.next() == '-') {
      time.value -= offset(reader);
      time.kind = TimeStamp::Kind::utc;
    }
  }
  if (!reader.valid() || !reader.at_end()) return std::nullopt;
  return time;
}

}  // namespace

std::optional<TimeStamp> parse_time_stamp(std::string_view text) {
  const auto number = parse_number<long double>(text);
  if (number) return std::isfinite(*number) ? std::optional(TimeStamp{.value = *number}) : std::nullopt;
  return parse_date(text);
}

std::string_view name(TimeStamp::Kind kind) {
  switch (kind) {
    case TimeStamp::Kind::number:
      return "a number";
    case TimeStamp::Kind::local:
      return "a date without an offset from UTC";
    case TimeStamp::Kind::utc:
      return "a date with an offset from UTC";
    case TimeStamp::Kind::month:
      return "a month";
    case TimeStamp::Kind::week:
      return "a week";
  }
  return "";
}

}  // namespace longrun
