#include "longrun/service/outcome_delays.h"

#include <algorithm>

#include "longrun/service/utc_time.h"

namespace longrun {
namespace {

constexpr std::int64_t kHourMs = 3'600'000;  // milliseconds
constexpr std::int64_t kDayMs = 24 * kHourMs;
constexpr std::int64_t kOverdueAtFirst = 30 * kDayMs;
constexpr std::int64_t kSoonestOverdue = kDayMs;  // more often, people do not look
constexpr std::int64_t kFewestDelays = 10;
constexpr std::int64_t kTenths = 9;    // of the outcomes, that have arrived within the delay
constexpr std::int64_t kPatience = 2;  // times that delay

}  // namespace

void OutcomeDelays::add(const std::string& decided_at, const std::string& reported_at) {
  constexpr std::size_t kToHour = 13;  // characters: 2026-11-16T09. Most outcomes of fast studies need no more
  const bool is_same_hour = decided_at.compare(0, kToHour, reported_at, 0, kToHour) == 0;
  const std::int64_t delay = is_same_hour ? 1 : parse_utc(reported_at) - parse_utc(decided_at);
  ++counts_[(std::max<std::int64_t>(1, delay) + kHourMs - 1) / kHourMs];
  ++total_;
}

std::int64_t OutcomeDelays::overdue_after() const {
  if (total_ < kFewestDelays) return kOverdueAtFirst;
  std::int64_t within = 0;
  auto delay = counts_.begin();
  while (10 * (within += delay->second) < kTenths * total_) ++delay;
  return std::max(kSoonestOverdue, kPatience * delay->first * kHourMs);
}

}  // namespace longrun
