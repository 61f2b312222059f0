#include "longrun/data/other_date.h"

#include <gtest/gtest.h>

namespace longrun {
namespace {

TEST(OtherDate, IsTheDayThatTheIsoDateStates) {
  const long double day = parse_time_stamp("2023-10-27")->value;
  for (const char* text : {"27.10.2023", "27/10/2023", "27-10-2023", "2023.10.27", "Oct 27 2023", "Oct 27, 2023",
                           "27 October 2023", "27-Oct-2023", "october 27 2023"}) {
    const auto date = parse_other_date(text, DateOrder::day_first);
    ASSERT_TRUE(date) << text;
    EXPECT_EQ(date->value, day) << text;
  }
  EXPECT_EQ(parse_other_date("10/27/2023", DateOrder::month_first)->value, day);
  EXPECT_EQ(parse_other_date("3.4.2023", DateOrder::day_first)->value, parse_time_stamp("2023-04-03")->value);
  EXPECT_EQ(parse_other_date("3.4.2023", DateOrder::month_first)->value, parse_time_stamp("2023-03-04")->value);
  EXPECT_EQ(parse_other_date("27.10.2023 09:30", DateOrder::day_first)->value,
            parse_time_stamp("2023-10-27T09:30")->value);
}

TEST(OtherDate, IsNoneForOtherTexts) {
  for (const char* text :
       {"", "a", "10/27/2023", "30.02.2023", "0.1.2023", "27.10.23", "27.10/2023", "27.10.2023x", "27.10.2023 25:00",
        "Oktober 27 2023", "27 10 2023", "1.5", "27.10.2023.", " 27.10.2023", "Oct 27", "27.10.2023 9"}) {
    EXPECT_FALSE(parse_other_date(text, DateOrder::day_first)) << text;
  }
}

TEST(OtherDate, LooksLikeOne) {
  for (const char* text : {"27.10.23", "10/27", "27 Oct", "2023-10"}) EXPECT_TRUE(looks_like_a_date(text)) << text;
  for (const char* text : {"monday", "27", "x", "", "a_1_2", "27 %"}) EXPECT_FALSE(looks_like_a_date(text)) << text;
}

}  // namespace
}  // namespace longrun
