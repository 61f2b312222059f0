#pragma once

#include <optional>
#include <string_view>

#include "longrun/data/time_stamp.h"

namespace longrun {

/// How a date of three numbers is read if the year comes last.
enum class DateOrder { day_first, month_first };

/// Returns the time that a date states which parse_time_stamp() does not read, because people read it differently or in
/// one language only: 27.10.2023, 10/27/2023, 27-10-2023, 2023.10.27, "Oct 27 2023", "27 October 2023", each perhaps
/// with a time of day without an offset (27.10.2023 09:30). `order` decides only where the year is last and the month a
/// number. Returns nullopt for any other text, and for dates that do not exist.
std::optional<TimeStamp> parse_other_date(std::string_view text, DateOrder order);

/// Returns the number of the month, 1 to 12, that an English name or its first three letters state: "Dec". Returns
/// nullopt for any other text.
std::optional<TimeStamp> parse_month_name(std::string_view text);

/// Returns whether a text looks like a date in some form: at least two groups of digits between '.', '/', '-' or
/// blanks, or one and the English name of a month.
bool looks_like_a_date(std::string_view text);

}  // namespace longrun
