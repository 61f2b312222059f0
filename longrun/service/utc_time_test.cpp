#include "longrun/service/utc_time.h"

#include <gtest/gtest.h>

#include "longrun/base/input_error.h"

namespace longrun {
namespace {

TEST(UtcTime, IsWrittenAndReadBack) {
  EXPECT_EQ(utc_text(0), "1970-01-01T00:00:00.000Z");
  EXPECT_EQ(utc_text(1'794'821'405'678), "2026-11-16T09:30:05.678Z");
  EXPECT_EQ(utc_text(-1), "1969-12-31T23:59:59.999Z");
  for (const std::int64_t time : {std::int64_t{0}, std::int64_t{951'782'399'999}, std::int64_t{4'102'444'799'001}}) {
    EXPECT_EQ(parse_utc(utc_text(time)), time);
  }
}

TEST(UtcTime, ReadsZonesAndFractions) {
  const std::int64_t time = parse_utc("2026-11-16T09:30:05Z");
  EXPECT_EQ(parse_utc("2026-11-16T10:30:05+01:00"), time);
  EXPECT_EQ(parse_utc("2026-11-16t04:00:05-05:30"), time);
  EXPECT_EQ(parse_utc("2026-11-16T09:30:05.5Z"), time + 500);
  EXPECT_EQ(parse_utc("2026-11-16T09:30:05.123456789Z"), time + 123);
}

TEST(UtcTime, RefusesWhatIsNotATime) {
  for (const char* text :
       {"", "2026-11-16", "2026-11-16T09:30:05", "2026-02-30T00:00:00Z", "2026-11-16T24:00:00Z", "2026-11-16T09:60:00Z",
        "2026-11-16T09:30:05.Z", "2026-11-16T09:30:05Zx", "26-11-16T09:30:05Z", "2026-1-16T09:30:05Z",
        "-026-11-16T09:30:05Z", "2026-11-16T09:30:05+1:00"}) {
    EXPECT_THROW(parse_utc(text), InputError) << text;
  }
}

}  // namespace
}  // namespace longrun
