#pragma once

#include <optional>
#include <string_view>

namespace longrun {

/// A point in time, read from a text.
struct TimeStamp {
  enum class Kind {
    number,  ///< a number, such as seconds since 1970
    local,   ///< a date, or a date and a time of day, without an offset from UTC
    utc,     ///< a date and a time of day with Z or an offset from UTC
    month,   ///< a year and a month
    week     ///< a year and a week of ISO 8601
  };
  Kind kind = Kind::number;
  long double value = 0;  ///< the number; or seconds since 1970 on the clock, or in UTC; of a period, its beginning
};

/// The times that are accepted, for errors.
inline constexpr std::string_view kTimeForms =
    "numbers, dates (2024-01-31, 2024-01-31T09:30, 31.01.2024, 31-Jan-24), months (2024-01, Jan 2024), quarters "
    "(Q1 2024) or weeks (2024-W05)";

/// Returns the time that the text states: a finite number, or a date of ISO 8601 such as 2024-03-01, 2024-03-01T09:30,
/// 2024-03-01 09:30:15.250, 2024-03-01T09:30:15Z, 2024-03-01T09:30:15+01:00, 2024-03, 2024-W09 or 2024-W09-5. Slashes
/// may replace the hyphens of a date, because the year comes first, and days and weeks may have one digit: 2024-3-1.
/// Returns nullopt for any other text, such as 01.03.2024 or 03/01/2024, whose day and month the text does not tell
/// apart, and for dates that do not exist.
std::optional<TimeStamp> parse_time_stamp(std::string_view text);

/// Returns the name of a kind of time, with its article, for errors.
std::string_view name(TimeStamp::Kind kind);

}  // namespace longrun
