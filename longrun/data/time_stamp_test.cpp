#include "longrun/data/time_stamp.h"

#include <gtest/gtest.h>

#include <string>

namespace longrun {
namespace {

using Kind = TimeStamp::Kind;

TEST(TimeStamp, ReadsNumbersAndDates) {
  const auto expect = [](const std::string& text, Kind kind, long double value) {
    const auto time = parse_time_stamp(text);
    ASSERT_TRUE(time) << text;
    EXPECT_EQ(time->kind, kind) << text;
    EXPECT_EQ(time->value, value) << text;
  };
  expect("17", Kind::number, 17);
  expect("-2.5", Kind::number, -2.5);
  expect("1970-01-02", Kind::local, 86'400);
  expect("1970-01-01T01:02", Kind::local, 3720);
  expect("1970-01-01 01:02:03", Kind::local, 3723);
  expect("1970-01-01T00:00:00.5", Kind::local, 0.5L);
  expect("1970-01-01T00:00:00Z", Kind::utc, 0);
  expect("1970-01-01T02:00+02:00", Kind::utc, 0);
  expect("1970-01-01T00:30-0030", Kind::utc, 3600);
  expect("2024-03-01T00:00:00Z", Kind::utc, 1'709'251'200);  // date -u -d 2024-03-01 +%s
  expect("2000-02-29", Kind::local, 951'782'400);
  expect("2000/02/29", Kind::local, 951'782'400);
  expect("2000/02/29 00:01", Kind::local, 951'782'460);
  expect("2000-2-29", Kind::local, 951'782'400);
  expect("2000/2/3 00:01", Kind::local, 949'536'060);
  expect("2024-W5", Kind::week, 1'706'486'400);
  expect("1970-02", Kind::month, 31 * 86'400);
  expect("1970/02", Kind::month, 31 * 86'400);
  expect("2024-W05", Kind::week, 1'706'486'400);     // date -u -d 2024-01-29 +%s
  expect("2024-W01", Kind::week, 1'704'067'200);     // a Monday, 2024-01-01
  expect("2021-W01", Kind::week, 1'609'718'400);     // 2021-01-04: January 1 to 3 belong to 2020
  expect("2020-W53-7", Kind::local, 1'609'632'000);  // 2021-01-03
  expect("2026-W01-1", Kind::local, 1'766'966'400);  // 2025-12-29
}

TEST(TimeStamp, RefusesOtherTexts) {
  for (const char* text : {"",
                           "monday",
                           "2023-02-29",
                           "2024-13-01",
                           "2024-3",
                           "2024-003-01",
                           "01.03.2024",
                           "31.01.2024",
                           "03/01/2024",
                           "2024-03-01T",
                           "2024-03-01T25:00",
                           "2024-03-01T09:60",
                           "2024-03-01T09:30:15.",
                           "2024-03-01T09:30 UTC",
                           "2024-03-01T09:30+1",
                           "nan",
                           "inf",
                           "2024-W53",
                           "2021-W53",
                           "2024-W00",
                           "2024-W005",
                           "2024-W05-8",
                           "2024/W05",
                           "2024-03/01",
                           "2024-",
                           "2024-00",
                           "24-01",
                           "jan 2024"}) {
    EXPECT_FALSE(parse_time_stamp(text)) << text;
  }
}

}  // namespace
}  // namespace longrun
