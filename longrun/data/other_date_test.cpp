#include "longrun/data/other_date.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

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

TEST(OtherDate, MayHaveAYearOfTwoDigitsAWeekdayAndATimeOfDay) {
  const long double day = parse_time_stamp("2023-10-27")->value;
  for (const char* text : {"27.10.23", "27/10/23", "27-Oct-23", "27 Oct 23", "Oct 27, 23", "2023-Oct-27",
                           "Fri, 27 Oct 2023", "Friday, October 27, 2023"}) {
    const auto date = parse_other_date(text, DateOrder::day_first);
    ASSERT_TRUE(date) << text;
    EXPECT_EQ(date->kind, TimeStamp::Kind::local) << text;
    EXPECT_EQ(date->value, day) << text;
  }
  EXPECT_EQ(parse_other_date("10/27/23", DateOrder::month_first)->value, day);
  EXPECT_EQ(parse_other_date("23-10-27", DateOrder::year_first)->value, day);
  EXPECT_EQ(parse_other_date("27-Oct-69", DateOrder::day_first)->value, parse_time_stamp("1969-10-27")->value);
  EXPECT_EQ(parse_other_date("27-Oct-68", DateOrder::day_first)->value, parse_time_stamp("2068-10-27")->value);
  const long double hour = 3600;
  for (const auto& [text, hours] : {std::pair{"10/27/2023 9:30 PM", 21.5}, std::pair{"10/27/2023 12:30:00 AM", 0.5},
                                    std::pair{"10/27/2023, 12 pm", 12.0}, std::pair{"Oct 27 2023 09:30:00.250", 9.5}}) {
    const auto date = parse_other_date(text, DateOrder::month_first);
    ASSERT_TRUE(date) << text;
    EXPECT_EQ(date->value, day + hours * hour) << text;
  }
  const auto utc = parse_other_date("Fri, 27 Oct 2023 09:30:00 GMT", DateOrder::day_first);
  ASSERT_TRUE(utc);
  EXPECT_EQ(utc->kind, TimeStamp::Kind::utc);
}

TEST(OtherDate, MayBeAMonthOrAQuarterOfAYear) {
  const long double month = parse_time_stamp("2023-10")->value;
  for (const char* text :
       {"10/2023", "Oct 2023", "October 2023", "2023-Oct", "Oct-23", "Q4 2023", "2023-Q4", "2023Q4"}) {
    const auto date = parse_other_date(text, DateOrder::day_first);
    ASSERT_TRUE(date) << text;
    EXPECT_EQ(date->kind, TimeStamp::Kind::month) << text;
    EXPECT_EQ(date->value, month) << text;
  }
  EXPECT_EQ(parse_other_date("23-Oct", DateOrder::year_first)->value, month);
}

TEST(OtherDate, MayHaveAMonthOfOtherLanguages) {
  for (const auto& [text, iso] :
       {std::pair{"27. Oktober 2023", "2023-10-27"}, std::pair{"3. M\u00e4r 2023", "2023-03-03"},
        std::pair{"3. Ma\u0308rz 2023", "2023-03-03"}, std::pair{"27-Okt-23", "2023-10-27"},
        std::pair{"4. Mai 2023", "2023-05-04"}, std::pair{"14 ao\u00fbt 2023", "2023-08-14"},
        std::pair{"1 f\u00e9vr. 2023", "2023-02-01"}, std::pair{"D\u00e9c 2023", "2023-12"},
        std::pair{"27 de octubre de 2023", "2023-10-27"}, std::pair{"3 ene 2023", "2023-01-03"},
        std::pair{"3 fevereiro 2023", "2023-02-03"}, std::pair{"3 luglio 2023", "2023-07-03"},
        std::pair{"Dez 2023", "2023-12"}, std::pair{"Sept 3 2023", "2023-09-03"}}) {
    const auto date = parse_other_date(text, DateOrder::day_first);
    ASSERT_TRUE(date) << text;
    EXPECT_EQ(date->value, parse_time_stamp(iso)->value) << text;
  }
}

TEST(OtherDate, MayHaveTheShortFormOfAMonthInSixLanguages) {
  const std::vector<std::vector<std::string>> languages{
      {"Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"},
      {"Jan.", "Feb.", "M\u00e4rz", "Apr.", "Mai", "Juni", "Juli", "Aug.", "Sept.", "Okt.", "Nov.", "Dez."},
      {"janv.", "f\u00e9vr.", "mars", "avr.", "mai", "juin", "juil.", "ao\u00fbt", "sept.", "oct.", "nov.",
       "d\u00e9c."},
      {"ene", "feb", "mar", "abr", "may", "jun", "jul", "ago", "sep", "oct", "nov", "dic"},
      {"jan.", "fev.", "mar.", "abr.", "mai.", "jun.", "jul.", "ago.", "set.", "out.", "nov.", "dez."},
      {"gen", "feb", "mar", "apr", "mag", "giu", "lug", "ago", "set", "ott", "nov", "dic"}};
  for (const std::vector<std::string>& months : languages) {
    for (std::size_t i = 0; i < months.size(); ++i) {
      const auto date = parse_other_date("3 " + months[i] + " 2023", DateOrder::day_first);
      ASSERT_TRUE(date) << months[i];
      EXPECT_EQ(date->value, parse_time_stamp("2023-" + std::to_string(i + 1) + "-3")->value) << months[i];
    }
  }
}

TEST(OtherDate, MayBeAWeekOfAYear) {
  for (const char* text : {"W5 2023", "KW 05/2023", "KW5/2023", "2023-W5", "2023 KW 5", "week 5, 2023", "2023W05"}) {
    const auto date = parse_other_date(text, DateOrder::day_first);
    ASSERT_TRUE(date) << text;
    EXPECT_EQ(date->kind, TimeStamp::Kind::week) << text;
    EXPECT_EQ(date->value, parse_time_stamp("2023-W05")->value) << text;
  }
  const auto week = parse_other_date("KW 5", DateOrder::day_first);
  ASSERT_TRUE(week);
  EXPECT_EQ(week->kind, TimeStamp::Kind::number);
  EXPECT_EQ(week->value, 5);
}

TEST(OtherDate, WithoutAYearIsANumberThatAscendsWithinOne) {
  const auto value = [](const char* text, DateOrder order) {
    const auto date = parse_other_date(text, order);
    EXPECT_TRUE(date && date->kind == TimeStamp::Kind::number) << text;
    return date ? date->value : 0;
  };
  EXPECT_LT(value("January", DateOrder::day_first), value("Feb", DateOrder::day_first));
  EXPECT_LT(value("31-Jan", DateOrder::day_first), value("1-Feb", DateOrder::day_first));
  EXPECT_LT(value("Jan-30", DateOrder::month_first), value("Jan 31", DateOrder::month_first));
  EXPECT_TRUE(parse_other_date("Feb 29", DateOrder::month_first)) << "some year has it";
}

TEST(OtherDate, IsNoneForOtherTexts) {
  for (const char* text : {"",
                           "a",
                           "10/27/2023",
                           "30.02.2023",
                           "0.1.2023",
                           "27.10/2023",
                           "27.10.2023x",
                           "27.10.2023 25:00",
                           "Vendemiaire 27 2023",
                           "W54 2023",
                           "KW 0/2023",
                           "W 5 23 1",
                           "2023-W",
                           "27 10 2023",
                           "1.5",
                           "1.2.3",
                           "27.10.2023.",
                           " 27.10.2023",
                           "27.10.2023 9",
                           "13/2023",
                           "Oct 320",
                           "Q5 2023",
                           "monday",
                           "27",
                           "27 %",
                           "10/27",
                           "27.10.2023 13:00 pm",
                           "09:30:15",
                           "10.0.0.12"}) {
    EXPECT_FALSE(parse_other_date(text, DateOrder::day_first)) << text;
  }
  EXPECT_FALSE(parse_other_date("Oct-23", DateOrder::year_first));
  EXPECT_FALSE(parse_other_date("23/10/27", DateOrder::year_first));
  EXPECT_FALSE(parse_other_date("27-10-2023", DateOrder::year_first));
}

TEST(OtherDate, OfEightDigitsMayEndWithItsYear) {
  for (const char* text : {"05012022", "14012022", "12312022", "5012022"}) EXPECT_TRUE(ends_with_year(text)) << text;
  for (const char* text : {"20220105", "20221231", "20101210", "32012022", "14132022", "00012022", "05012122",
                           "1698307200", "05.01.2022", "2022", ""})
    EXPECT_FALSE(ends_with_year(text)) << text;
}

TEST(OtherDate, OfThreeShortNumbersWithPointsOrHyphensMayBeAVersion) {
  for (const char* text : {"1.8.10", "9.3.24", "27-10-23", "01.02.03"}) EXPECT_TRUE(may_be_a_version(text)) << text;
  for (const char* text : {"27/10/23", "27.10.2023", "2023-10-27", "27-Oct-23", "27.10.23 09:30", "1.8", "1.8-10", ""})
    EXPECT_FALSE(may_be_a_version(text)) << text;
}

}  // namespace
}  // namespace longrun
