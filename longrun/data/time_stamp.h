#pragma once

#include <optional>
#include <string_view>

namespace longrun {

/// A point in time, read from a text.
struct TimeStamp {
  enum class Kind {
    number,  ///< a number, such as seconds since 1970
    local,   ///< a date, or a date and a time of day, without an offset from UTC
    utc      ///< a date and a time of day with Z or an offset from UTC
  };
  Kind kind = Kind::number;
  long double value = 0;  ///< the number; or seconds since 1970 on the clock, or in UTC
};

/// Returns the time that the text states: a finite number, or a date of ISO 8601 such as 2024-03-01, 2024-03-01T09:30,
/// 2024-03-01 09:30:15.250, 2024-03-01T09:30:15Z or 2024-03-01T09:30:15+01:00. Returns nullopt for any other text and
/// for dates that do not exist.
std::optional<TimeStamp> parse_time_stamp(std::string_view text);

/// Returns the name of a kind of time, with its article, for errors.
std::string_view name(TimeStamp::Kind kind);

}  // namespace longrun
