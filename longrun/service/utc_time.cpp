#include "longrun/service/utc_time.h"

#include <fmt/format.h>

#include <charconv>
#include <chrono>

#include "longrun/base/input_error.h"

namespace longrun {
namespace {

constexpr std::int64_t kMsPerSecond = 1000;
constexpr std::int64_t kMsPerMinute = 60 * kMsPerSecond;
constexpr std::int64_t kMsPerHour = 60 * kMsPerMinute;
constexpr std::int64_t kMsPerDay = 24 * kMsPerHour;
constexpr std::int64_t kFirst =
    std::chrono::sys_days{std::chrono::year{0} / 1 / 1}.time_since_epoch().count() * kMsPerDay;
constexpr std::int64_t kLast =
    std::chrono::sys_days{std::chrono::year{10'000} / 1 / 1}.time_since_epoch().count() * kMsPerDay - 1;

/// Reads the parts of a time. After a part that is not what was expected, all others fail too.
class TimeScanner {
 public:
  explicit TimeScanner(std::string_view text) : rest_(text) {}

  /// Reads a number of exactly `digits` digits that is at most `most`.
  int digits(std::size_t digits, int most) {
    int value = -1;
    if (rest_.size() >= digits) {
      const char* const begin =
          rest_.data();  // NOLINT(bugprone-suspicious-stringview-data-usage): its length is beside it
      const auto [end, error] = std::from_chars(begin, begin + digits, value);
      if (error != std::errc() || end != begin + digits || rest_[0] == '-') value = -1;
    }
    if (value < 0 || value > most) is_valid_ = false;
    rest_.remove_prefix(std::min(digits, rest_.size()));
    return value;
  }
  /// Reads one of these characters and returns it.
  char one_of(std::string_view characters) {
    if (rest_.empty() || characters.find(rest_[0]) == std::string_view::npos) {
      is_valid_ = false;
      return ' ';
    }
    const char found = rest_[0];
    rest_.remove_prefix(1);
    return found;
  }
  /// Reads a fraction of a second, if one follows, and returns it in whole milliseconds.
  std::int64_t fraction() {
    if (rest_.empty() || rest_[0] != '.') return 0;
    rest_.remove_prefix(1);
    std::int64_t milliseconds = 0;
    std::size_t read = 0;
    for (; read < rest_.size() && rest_[read] >= '0' && rest_[read] <= '9'; ++read) {
      if (read < 3) milliseconds = 10 * milliseconds + (rest_[read] - '0');
    }
    for (std::size_t missing = read; missing < 3; ++missing) milliseconds *= 10;
    if (read == 0 || read > 9) is_valid_ = false;
    rest_.remove_prefix(read);
    return milliseconds;
  }
  bool is_whole() const { return is_valid_ && rest_.empty(); }

 private:
  std::string_view rest_;
  bool is_valid_ = true;
};

}  // namespace

std::string utc_text(std::int64_t milliseconds) {
  const std::chrono::sys_time<std::chrono::milliseconds> time{std::chrono::milliseconds{milliseconds}};
  const auto day = std::chrono::floor<std::chrono::days>(time);
  const std::chrono::year_month_day date{day};
  const std::int64_t rest = (time - day).count();
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:03}Z", static_cast<int>(date.year()),
                     static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()), rest / kMsPerHour,
                     rest / kMsPerMinute % 60, rest / kMsPerSecond % 60, rest % kMsPerSecond);
}

std::int64_t milliseconds_now() {
  using std::chrono::milliseconds;
  return std::chrono::duration_cast<milliseconds>(std::chrono::system_clock::now().time_since_epoch()).count();
}

std::int64_t parse_utc(std::string_view text) {
  TimeScanner scanner(text);
  const int year_number = scanner.digits(4, 9999);
  scanner.one_of("-");
  const int month_number = scanner.digits(2, 12);
  scanner.one_of("-");
  const int day_number = scanner.digits(2, 31);
  scanner.one_of("Tt ");
  std::int64_t milliseconds = scanner.digits(2, 23) * kMsPerHour;
  scanner.one_of(":");
  milliseconds += scanner.digits(2, 59) * kMsPerMinute;
  scanner.one_of(":");
  milliseconds += scanner.digits(2, 59) * kMsPerSecond;
  milliseconds += scanner.fraction();
  const char zone = scanner.one_of("Zz+-");
  if (zone == '+' || zone == '-') {
    std::int64_t offset = scanner.digits(2, 23) * kMsPerHour;
    scanner.one_of(":");
    offset += scanner.digits(2, 59) * kMsPerMinute;
    milliseconds += zone == '+' ? -offset : offset;
  }
  const std::chrono::year_month_day date{std::chrono::year{year_number},
                                         std::chrono::month{static_cast<unsigned>(month_number)},
                                         std::chrono::day{static_cast<unsigned>(day_number)}};
  if (!scanner.is_whole() || !date.ok()) {
    throw InputError(fmt::format("'{}' is not a time; write it as 2026-11-16T09:30:00Z", text));
  }
  milliseconds += std::chrono::sys_days{date}.time_since_epoch().count() * kMsPerDay;
  if (milliseconds < kFirst || milliseconds > kLast)
    throw InputError(fmt::format("'{}' is not in the years 0 to 9999", text));
  return milliseconds;
}

std::string latest_time(const std::string& at) {
  constexpr std::int64_t kClockSkew = 300'000;  // milliseconds
  return utc_text(parse_utc(at) + kClockSkew);
}

}  // namespace longrun
