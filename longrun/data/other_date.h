#pragma once

#include <array>
#include <optional>
#include <string_view>

#include "longrun/data/time_stamp.h"

namespace longrun {

/// The part that comes first in a date whose text does not tell: 03/04/2024, 03.04.24 or Jan-24.
enum class DateOrder { day_first, month_first, year_first };
inline constexpr std::array kDateOrders{DateOrder::day_first, DateOrder::month_first, DateOrder::year_first};

/// Returns the time that a date states which parse_time_stamp() does not read, because people read it differently or in
/// some languages only. Returns nullopt for any other text, and for dates that do not exist. The forms are
///
/// - days: 27.10.2023, 10/27/2023, 27-10-23, 2023.10.27, "Oct 27 2023", "Fri, 27 October 2023", 27-Oct-23. A time of
///   day may follow (27.10.2023 09:30, 10/27/2023 9:30 PM), without an offset, or with GMT, UTC or Z;
/// - months and quarters: 10/2023, "Oct 2023", Oct-23, 2023-Oct, "Q4 2023", 2023-Q4;
/// - weeks of ISO 8601: "W5 2023", "KW 05/2023", 2023-W5;
/// - days, months and weeks without a year, which begin again: "Oct 27", 27-Oct, October, "KW 5". These are numbers.
///
/// Names of months are English, German, French, Spanish, Portuguese or Italian, with or without accents, or their usual
/// short forms; weekdays are English. Years of two digits are from 1969 to 2068. `order` decides
/// only where the text does not: what the numbers of 03/04/24 and 03-04-24 are (year_first only with hyphens), and
/// whether the number of Oct-23 is a year (day_first) or a day (month_first), and that of 23-Oct a day or, with
/// year_first, a year.
std::optional<TimeStamp> parse_other_date(std::string_view text, DateOrder order);

/// Returns whether the text is a date of eight digits of which the last four are the year, or of seven if the first of
/// them, a zero, was lost: 05012022 or 5012022. No date with the year first looks so: its month would be above 12.
bool ends_with_year(std::string_view text);

/// Returns the day that a text of six digits states, of which the last two are the year: 011223 is 1 December 2023 with
/// the day first, and 12 January 2023 with the month first. Returns nullopt for any other text, with the year first,
/// and for dates that do not exist.
std::optional<TimeStamp> parse_six_digits(std::string_view text, DateOrder order);

/// Returns the month that a text such as 09.2024 states, which is also a decimal number: one or two digits from 1 to
/// 12, a point and a year from 1900 to 2099. Returns nullopt for any other text.
std::optional<TimeStamp> parse_month_with_point(std::string_view text);

/// Returns whether the text is three numbers of at most two digits with points or hyphens between them, as a version, a
/// section or a part number can be: 9.3.24 or 24-03-09.
bool may_be_a_version(std::string_view text);

}  // namespace longrun
