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
/// one language only. Returns nullopt for any other text, and for dates that do not exist. The forms are
///
/// - days: 27.10.2023, 10/27/2023, 27-10-23, 2023.10.27, "Oct 27 2023", "Fri, 27 October 2023", 27-Oct-23. A time of
///   day may follow (27.10.2023 09:30, 10/27/2023 9:30 PM), without an offset, or with GMT, UTC or Z;
/// - months and quarters: 10/2023, "Oct 2023", Oct-23, 2023-Oct, "Q4 2023", 2023-Q4;
/// - days and months without a year, which begin again: "Oct 27", 27-Oct, October. These are numbers.
///
/// Names are English, or the first three letters of them. Years of two digits are from 1969 to 2068. `order` decides
/// only where the text does not: what the numbers of 03/04/24 and 03-04-24 are (year_first only with hyphens), and
/// whether the number of Oct-23 is a year (day_first) or a day (month_first), and that of 23-Oct a day or, with
/// year_first, a year.
std::optional<TimeStamp> parse_other_date(std::string_view text, DateOrder order);

/// Returns whether the text is a date of eight digits of which the last four are the year, or of seven if the first of
/// them, a zero, was lost: 05012022 or 5012022. No date with the year first looks so: its month would be above 12.
bool ends_with_year(std::string_view text);

/// Returns whether the text is three numbers of at most two digits with points or hyphens between them, as a version, a
/// section or a part number can be: 9.3.24 or 24-03-09.
bool may_be_a_version(std::string_view text);

}  // namespace longrun
