#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace longrun {

/// Returns a time, in milliseconds since 1970 UTC, as "2026-11-16T09:30:00.000Z".
std::string utc_text(std::int64_t milliseconds);

/// Returns the time now, in milliseconds since 1970 UTC.
std::int64_t milliseconds_now();

/// Reads a time of RFC 3339, such as "2026-11-16T09:30:00Z" or "2026-11-16T10:30:00.5+01:00". Returns milliseconds
/// since 1970 UTC. Throws InputError if the text is not one, is a leap second, or has more than 9 decimals of a second.
std::int64_t parse_utc(std::string_view text);

/// Returns the latest time that does not count as one in the future at the time `at`: 5 minutes after it, because
/// clocks differ a little. Both are texts as utc_text() writes them, which are in the order of the times.
std::string latest_time(const std::string& at);

}  // namespace longrun
