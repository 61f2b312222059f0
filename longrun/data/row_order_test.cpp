#include "longrun/data/row_order.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <functional>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "longrun/data/csv_history.h"

namespace longrun {
namespace {

using Texts = std::vector<std::string>;

History ordered_history(const std::string& csv, const HistoryColumns& columns = {}) {
  std::istringstream text(csv);
  return read_csv_history("past.csv", text, {}, columns);
}

TEST(RowOrder, ReversedRowsAreAWarningEvenIfTheirColumnIsNotNamed) {
  EXPECT_EQ(ordered_history("date,arm,reward\n2024-01-03,a,1\n2024-01-02,b,1\n2024-01-01,a,0\n").warnings,
            Texts{"past.csv: rows must be in the order of their pulls, but by the column 'date', which is not used, "
                  "they are in the reverse order: '2024-01-01' of line 4 is before line 2 of the same arm; sort the "
                  "rows if this column tells when pulls were made"});
  for (const char* name : {"week", "Day", "sales_month", "Round no.", "step", "time stamp"}) {
    const std::string header = std::string("arm,reward,") + name + "\n";
    EXPECT_EQ(ordered_history(header + "a,1,3\na,1,2\na,0,1\n").warnings.size(), 1U) << name;
    EXPECT_TRUE(ordered_history(header + "a,1,1\na,1,2\na,0,2\n").warnings.empty()) << name;
  }
}

TEST(RowOrder, DatesOutOfOrderAreAWarningWhateverTheirColumnIsCalled) {
  EXPECT_EQ(ordered_history("arm,reward,bought\na,1,2024-01\na,1,2024-03\na,0,2024-02\n").warnings,
            Texts{"past.csv: rows must be in the order of their pulls, but by the column 'bought', which is not used, "
                  "they are not: '2024-02' of line 4 is before line 3 of the same arm; sort the rows if this column "
                  "tells when pulls were made"});
}

TEST(RowOrder, DatesOfOtherFormsOutOfOrderAreAWarning) {
  const std::vector<std::vector<std::string>> forms{
      {"26.10.2023", "27.10.2023", "02.11.2023"},    {"10/26/2023", "10/27/2023", "11/02/2023"},
      {"26-10-2023", "27-10-2023", "02-11-2023"},    {"2023.10.26", "2023.10.27", "2023.11.02"},
      {"Oct 26 2023", "Oct 27 2023", "Nov 02 2023"}, {"1698307200", "1698393600", "1698912000"}};
  for (const std::vector<std::string>& form : forms) {
    for (const char* name : {"ts", "created_at", "when", "Datum", "bought"}) {
      std::string ascending;
      std::string descending;
      for (int i = 0; i < 9; ++i) {
        ascending += "a,1," + form[static_cast<std::size_t>(i / 3)] + "\n";
        descending += "a,1," + form[static_cast<std::size_t>(2 - i / 3)] + "\n";
      }
      const std::string header = std::string("arm,reward,") + name + "\n";
      const bool is_number = form[0].size() == 10 && form[0].find_first_not_of("0123456789") == std::string::npos;
      EXPECT_TRUE(ordered_history(header + ascending).warnings.empty()) << form[0];
      EXPECT_EQ(ordered_history(header + descending).warnings.size(), is_number && name[0] == 'b' ? 0U : 1U)
          << form[0] << ", " << name << ": a number without a name of time must descend 5 times";
    }
  }
  std::string seconds = "arm,reward,bought\n";
  for (int i = 0; i < 9; ++i) seconds += "a,1," + std::to_string(1'698'307'200 - 60 * i) + "\n";
  EXPECT_EQ(ordered_history(seconds).warnings.size(), 1U);
  // 3 April or 4 March: not known, but both are out of order.
  EXPECT_EQ(ordered_history("arm,reward,date\na,1,03.04.2023\na,1,02.03.2023\n").warnings.size(), 1U);
  const Texts unknown{
      "past.csv: the order of rows was not checked: the dates of column 'date' can be read in several ways, such as "
      "with the day or the month first, and the rows are in order by some of them only; write dates with the year "
      "first "
      "(2024-01-31)"};
  EXPECT_EQ(ordered_history("arm,reward,date\na,1,03.04.2023\na,1,02.05.2023\n").warnings, unknown)
      << "in order if the day is first";
  EXPECT_EQ(ordered_history("arm,reward,date\na,1,03.04.23\na,1,02.05.23\n").warnings, unknown);
  EXPECT_EQ(ordered_history("arm,reward,code\na,1,03.04.23\na,1,02.05.23\n").warnings, Texts{});
}

TEST(RowOrder, MonthsAndDatesWithShortYearsOutOfOrderAreAWarningWhateverTheirColumnIsCalled) {
  const std::vector<std::vector<std::string>> forms{{"26-Oct-23", "27-Oct-23", "02-Nov-23"},
                                                    {"26/10/23", "27/10/23", "02/11/23"},
                                                    {"10/26/23", "10/27/23", "11/02/23"},
                                                    {"10/2023", "11/2023", "01/2024"},
                                                    {"Oct 2023", "November 2023", "Jan 2024"},
                                                    {"2023-Oct", "2023-Nov", "2024-Jan"},
                                                    {"Q3 2023", "Q4 2023", "Q1 2024"},
                                                    {"10/26/2023 11:00 AM", "10/26/2023 1:00 PM", "10/27/2023 9:00 AM"},
                                                    {"Thu, 26 Oct 2023", "Fri, 27 Oct 2023", "Thu, 02 Nov 2023"}};
  for (const std::vector<std::string>& form : forms) {
    for (const char* name : {"date", "bought"}) {
      const auto warnings = [&](const std::vector<std::size_t>& order) {
        std::string text = std::string("arm,reward,") + name + "\n";
        for (const std::size_t row : order) text += "a,1,\"" + form[row] + "\"\n";
        return ordered_history(text).warnings;
      };
      EXPECT_EQ(warnings({0, 1, 1, 2}), Texts{}) << form[0];
      ASSERT_EQ(warnings({1, 0, 2}).size(), 1U) << form[0];
      EXPECT_NE(warnings({1, 0, 2})[0].find("'" + form[0] + "' of line 3 is before line 2"), std::string::npos)
          << form[0];
    }
  }
}

TEST(RowOrder, AColumnOfTimesThatCannotBeReadIsAWarningThatTheOrderWasNotChecked) {
  const auto warnings = [](const std::string& name, const Texts& cells) {
    std::string text = "arm,reward," + name + "\n";
    for (const std::string& cell : cells) text += "a,1," + cell + "\n";
    return ordered_history(text).warnings;
  };
  const auto unread = [](const std::string& cell, int line) {
    return Texts{
        "past.csv: the order of rows was not checked: column 'date' cannot be read as times of one form, for "
        "example '" +
        cell + "' of line " + std::to_string(line) +
        "; write numbers, dates (2024-01-31, 2024-01-31T09:30, 31.01.2024, 31-Jan-24), months (2024-01, Jan 2024), "
        "quarters (Q1 2024) or weeks (2024-W05)"};
  };
  EXPECT_EQ(warnings("date", {"4. Maj 2023", "3. Maj 2023"}), unread("4. Maj 2023", 2)) << "in Danish";
  EXPECT_EQ(warnings("date", {"2023-05-04", "2023-05-05", "May 3 2023"}), unread("May 3 2023", 4)) << "another form";
  EXPECT_EQ(warnings("date", {"May 4 2023", "5.5.2023", "6.6.2023"}), Texts{}) << "two forms that can be read";
  EXPECT_EQ(warnings("date", {"09:30", "08:15"}), unread("09:30", 2));
  EXPECT_EQ(warnings("week", {"Week 9", "Week 8"}).size(), 1U);
  EXPECT_EQ(warnings("day", {"tuesday", "monday"}), Texts{}) << "no digits: it is no time";
  EXPECT_EQ(warnings("period", {"H1 2023", "H1 2023"}), Texts{}) << "all are the same";
  EXPECT_EQ(warnings("customer", {"Mai 4", "Mai 3"}), Texts{}) << "no name of a time";
}

TEST(RowOrder, EmptyCellsOfAColumnOfTimesDoNotSilenceItsCheck) {
  for (const char* empty : {"", " "}) {
    const std::string cell(empty);
    EXPECT_EQ(
        ordered_history("arm,reward,date\na,1,2024-01-03\na,1," + cell + "\na,1,2024-01-02\na,1,2024-01-01\n").warnings,
        Texts{"past.csv: rows must be in the order of their pulls, but by the column 'date', which is not used, "
              "they are in the reverse order: '2024-01-02' of line 4 is before line 2 of the same arm; sort the "
              "rows if this column tells when pulls were made"});
    EXPECT_EQ(ordered_history("arm,reward,date\na,1," + cell + "\na,1,03.04.2023\na,1,02.03.2023\n").warnings.size(),
              1U)
        << "the first cell";
    EXPECT_EQ(ordered_history("arm,reward,date\na,1,09:30\na,1," + cell + "\na,1,08:15\n").warnings.size(), 1U)
        << "not read: the order was not checked";
    EXPECT_EQ(ordered_history("arm,reward,date\na,1,2024-01-01\na,1," + cell + "\na,1,2024-01-02\n").warnings, Texts{});
  }
  EXPECT_EQ(ordered_history("arm,reward,day\na,1,3\na,0,\na,0,1\n").warnings.size(), 1U) << "numbers";
  EXPECT_EQ(ordered_history("arm,reward,date\na,1,\na,1,\n").warnings, Texts{}) << "no cell has a time";
}

TEST(RowOrder, DatesWhoseDigitsEndWithTheYearAreNotCompared) {
  EXPECT_EQ(
      ordered_history("arm,reward,date\na,1,05012022\na,1,14012022\na,1,02022022\n").warnings,
      Texts{"past.csv: the order of rows was not checked: column 'date' cannot be read as times of one form, for "
            "example '05012022' of line 2; write numbers, dates (2024-01-31, 2024-01-31T09:30, 31.01.2024, 31-Jan-24), "
            "months (2024-01, Jan 2024), quarters (Q1 2024) or weeks (2024-W05)"})
      << "they are in order";
  EXPECT_EQ(ordered_history("arm,reward,date\na,1,20220105\na,1,20220114\na,1,20220202\n").warnings, Texts{});
  EXPECT_EQ(ordered_history("arm,reward,date\na,1,20220202\na,1,20220114\na,1,20220105\n").warnings.size(), 1U);
}

TEST(RowOrder, DatesOfSixDigitsAreNotComparedAsNumbers) {
  const auto read = [](const std::string& name, const Texts& cells) {
    std::string text = "arm,reward," + name + "\n";
    for (const std::string& cell : cells) text += "a,1," + cell + "\n";
    return ordered_history(text);
  };
  const Texts day_first{"291123", "301123", "011223", "021223", "311223", "010124"};
  const Texts month_first{"112923", "113023", "120123", "123123", "010124"};
  const Texts in_no_order{"011223", "301123", "021223", "150124", "010223"};
  for (const char* name : {"time", "date"}) {
    for (const Texts& cells : {day_first, month_first}) {
      EXPECT_TRUE(read(name, cells).order_confirmed);
      EXPECT_EQ(read(name, cells).warnings, Texts{});
    }
    EXPECT_TRUE(read(name, {"090815", "100000", "235959"}).warnings.empty()) << "numbers in order";
  }
  const Texts warnings = read("date", in_no_order).warnings;
  ASSERT_EQ(warnings.size(), 1U);
  EXPECT_NE(warnings[0].find("the order of rows was not checked: column 'date'"), std::string::npos) << warnings[0];
  const auto error_of = [&](const Texts& cells) -> std::string {
    try {
      read("time", cells);
    } catch (const RowOrderError& error) {
      return error.what();
    }
    return {};
  };
  EXPECT_EQ(error_of(in_no_order),
            "past.csv: line 4, column 3 (time): the order of rows cannot be checked: '021223' may be a date with the "
            "year last, and the rows are not in order with the day first, with the month first or as numbers; write "
            "dates with the year first (2024-01-31)");
  EXPECT_EQ(error_of({"301123", "101223"}),
            "past.csv: line 3, column 3 (time): '101223' is before '301123' of line 2; rows must be in the order of "
            "their pulls")
      << "none begins with a zero";
  EXPECT_EQ(error_of({"235959", "000102"}),
            "past.csv: line 3, column 3 (time): '000102' is before '235959' of line 2; rows must be in the order of "
            "their pulls")
      << "no dates";
}

TEST(RowOrder, NumbersOfTimesMayLookLikeDatesThatEndWithTheYear) {
  const auto read = [](const std::string& name, const Texts& cells) {
    std::string text = "arm,reward," + name + "\n";
    for (const std::string& cell : cells) text += "a,1," + cell + "\n";
    return ordered_history(text);
  };
  EXPECT_TRUE(read("time", {"10102000", "10102001", "10102002"}).order_confirmed);
  EXPECT_TRUE(read("time", {"10102000", "10202001", "99999999"}).order_confirmed);
  EXPECT_TRUE(read("time", {"01012022", "02012022", "03012022"}).order_confirmed);
  EXPECT_EQ(read("day", {"10102000", "10202001", "99999999"}).warnings, Texts{}) << "only the first looks like a date";
  EXPECT_EQ(read("day", {"99999999", "10202001", "10102000"}).warnings.size(), 1U);
  try {
    read("time", {"14012022", "02022022"});
    FAIL() << "they descend";
  } catch (const RowOrderError& error) {
    EXPECT_STREQ(
        error.what(),
        "past.csv: line 3, column 3 (time): '02022022' is before '14012022' of line 2 (as numbers; write dates with "
        "the year first, such as 2024-01-31); rows must be in the order of their pulls");
  }
}

TEST(RowOrder, MonthsWithAPointAreNoDecimalNumbers) {
  const auto read = [](const std::string& name, const Texts& cells) {
    std::string text = "arm,reward," + name + "\n";
    for (const std::string& cell : cells) text += "a,1," + cell + "\n";
    return ordered_history(text);
  };
  EXPECT_TRUE(read("time", {"10.2024", "11.2024", "12.2024", "01.2025"}).order_confirmed);
  EXPECT_THROW(read("time", {"01.2024", "02.2024", "12.2023"}), RowOrderError);
  EXPECT_TRUE(read("time", {"9.2050", "10.1950", "10.5"}).order_confirmed) << "the last is no month";
  EXPECT_TRUE(read("time", {"1.2500", "1.3750", "2.0625"}).order_confirmed) << "no years";
  for (const char* name : {"month", "Monat"}) {
    EXPECT_EQ(read(name, {"09.2024", "10.2024", "11.2024", "12.2024", "01.2025", "02.2025"}).warnings, Texts{});
    EXPECT_EQ(read(name, {"01.2024", "02.2024", "12.2023"}).warnings.size(), 1U);
  }
}

TEST(RowOrder, TimesWithoutTheirYearAreRefusedByTheirForm) {
  for (const char* cell : {"Nov", "KW 5", "M\u00e4rz"}) {
    try {
      ordered_history(std::string("arm,reward,time\na,1,") + cell + "\na,0,Dec\n");
      FAIL() << cell;
    } catch (const RowOrderError& error) {
      EXPECT_NE(std::string(error.what()).find("line 2, column 3 (time): '" + std::string(cell) + "' has no year"),
                std::string::npos)
          << error.what();
    }
  }
  EXPECT_TRUE(ordered_history("arm,reward,time\na,1,Oct-23\na,0,Nov-23\n").order_confirmed) << "it may have one";
  try {
    ordered_history("arm,reward,time\na,1,2024-9\n");
    FAIL() << "another month may be 2024-10";
  } catch (const RowOrderError& error) {
    EXPECT_STREQ(error.what(), "past.csv: line 2, column 3 (time): '2024-9' is not a time; write 2024-09");
  }
}

TEST(RowOrder, VersionsAreNoDatesUnlessTheirColumnIsCalledLikeATime) {
  const auto warnings = [](const std::string& name, const std::string& earlier, const std::string& later) {
    return ordered_history("arm,reward," + name + "\na,1," + later + "\na,1," + earlier + "\n").warnings.size();
  };
  for (const char* name : {"sku", "version", "section"}) {
    EXPECT_EQ(warnings(name, "1.8.10", "9.3.24"), 0U) << name;
    EXPECT_EQ(warnings(name, "10-01-05", "24-03-09"), 0U) << name;
  }
  EXPECT_EQ(warnings("date", "1.8.10", "9.9.24"), 1U);
  EXPECT_EQ(warnings("bought", "1.8.2010", "9.9.2024"), 1U) << "a year of four digits";
  EXPECT_EQ(warnings("bought", "1/8/10", "9/9/24"), 1U) << "versions have no slashes";
}

/// Returns 60 rows with one date each, three days apart, as `text` writes year, month and day.
std::string dated(const std::string& name, bool reversed, const std::function<std::string(int, int, int)>& text) {
  std::string csv = "arm,reward," + name + "\n";
  for (int row = 0; row < 60; ++row) {
    const int day = 3 * (reversed ? 59 - row : row);
    csv += "a,1," + text(24 + (day + 147) / 252, (day + 147) / 21 % 12 + 1, day % 21 + 1 + 5) + "\n";
  }
  return csv;
}

TEST(RowOrder, DatesWithYearsOfTwoDigitsAreReadIfTheColumnTellsItsForm) {
  const auto two = [](int number) { return std::to_string(100 + number).substr(1); };
  for (const char* name : {"date", "time", "booking"}) {
    for (const char* separator : {"-", ".", "/"}) {
      const auto day_first = [&](int y, int m, int d) { return two(d) + separator + two(m) + separator + two(y); };
      const auto month_first = [&](int y, int m, int d) { return two(m) + separator + two(d) + separator + two(y); };
      for (const std::function<std::string(int, int, int)>& text : {std::function(day_first), {month_first}}) {
        const History in_order = ordered_history(dated(name, false, text));
        EXPECT_EQ(in_order.warnings, Texts{}) << name << separator;
        EXPECT_TRUE(in_order.order_confirmed) << name << separator;
        if (std::string_view(name) == "time") {
          EXPECT_THROW(ordered_history(dated(name, true, text)), RowOrderError) << separator;
        } else {
          EXPECT_EQ(ordered_history(dated(name, true, text)).warnings.size(), 1U) << name << separator;
        }
      }
    }
  }
}

TEST(RowOrder, DatesWithTheYearFirstAreNoneOfOneYearAlthoughTheyHaveTheSameDay) {
  std::string rows;
  for (int month = 0; month < 130; ++month) rows += fmt::format("a,1,{}-{:02}-23\n", 14 + month / 12, month % 12 + 1);
  try {
    ordered_history("arm,reward,time\n" + rows);
    FAIL() << "the first number may be the day";
  } catch (const RowOrderError& error) {
    EXPECT_STREQ(error.what(),
                 "past.csv: line 14, column 3 (time): '15-01-23' is before '14-12-23' of line 13 if the dates are read "
                 "in one way, such as with the day or the month first, and not if they are read in another; write "
                 "dates with the year first (2024-01-31)");
  }
  EXPECT_EQ(ordered_history("arm,reward,date\n" + rows).warnings,
            Texts{"past.csv: the order of rows was not checked: the dates of column 'date' can be read in several "
                  "ways, such as with the day or the month first, and the rows are in order by some of them only; "
                  "write dates with the year first (2024-01-31)"});
  EXPECT_EQ(ordered_history("arm,reward,booking\n" + rows).warnings, Texts{});
}

TEST(RowOrder, NumbersWithPointsOrHyphensThatAreNoDatesOfAFewYearsAreNone) {
  std::mt19937_64 random(3);
  for (int log = 0; log < 200; ++log) {
    std::string csv = "arm,reward,part\n";
    for (int row = 0; row < 40; ++row) {
      csv += "a,1";
      for (const char* before : {",", "-", "-"}) csv += before + std::to_string(101 + random() % 12).substr(1);
      csv += '\n';
    }
    EXPECT_EQ(ordered_history(csv).warnings.size(), 0U) << log;
  }
}

TEST(RowOrder, OnlyRowsOfTheSameArmAreCompared) {
  EXPECT_TRUE(ordered_history("arm,reward,date\na,1,2024-01-01\na,1,2024-01-05\nb,0,2024-01-02\n").warnings.empty())
      << "sorted by arm and date";
}

/// Returns a log of two years with the names of months, from December to January if `reversed`.
std::string month_names(bool reversed) {
  const std::array<const char*, 12> names{"Jan", "feb", "March", "Apr", "MAY", "June",
                                          "Jul", "Aug", "Sep",   "Oct", "Nov", "Dec"};
  std::string csv = "arm,reward,month\n";
  for (std::size_t i = 0; i < 24; ++i) csv += std::string("a,1,") + names[reversed ? 11 - i % 12 : i % 12] + "\n";
  return csv;
}

TEST(RowOrder, NamesOfMonthsThatDescendAreAWarning) {
  EXPECT_EQ(
      ordered_history(month_names(true)).warnings,
      Texts{"past.csv: rows must be in the order of their pulls, but by the column 'month', which is not used, they "
            "are not: 'Nov' of line 3 is before line 2 of the same arm; sort the rows if this column tells when "
            "pulls were made"});
}

TEST(RowOrder, NamesOfTimesMayBeOfOtherLanguagesAndPartsOfGermanWords) {
  for (const char* name : {"Buchungstag", "Monat", "Kalenderwoche", "Woche", "Jahr", "quarter", "period", "fecha",
                           "mois", "Année", "año", "mês", "Lieferdatum", "semana", "trimestre"}) {
    const std::string header = std::string("arm,reward,") + name + "\n";
    EXPECT_EQ(ordered_history(header + "a,1,2024\na,1,2023\na,0,2022\n").warnings.size(), 1U) << name;
    EXPECT_EQ(ordered_history(header + "a,1,01.05.22\na,1,14.04.22\n").warnings.size(), 1U) << name;
    EXPECT_TRUE(ordered_history(header + "a,1,2022\na,1,2023\na,0,2024\n").warnings.empty()) << name;
  }
  for (const char* name : {"Betrag", "Vertrag", "hashtag", "Baujahr", "Geburtsjahr", "amount", "Mesa", "stage", "tag",
                           "year built", "vintage", "release_year", "releaseYear", "founded", "model_year",
                           "birth_year", "due_date", "dueDate", "last_visit_date"}) {
    const std::string header = std::string("arm,reward,") + name + "\n";
    EXPECT_TRUE(ordered_history(header + "a,1,2024\na,1,2023\na,0,2022\n").warnings.empty()) << name;
  }
}

/// Returns rows of three arms on 90 days in order, with a date up to `spread` days later in a second column. If
/// `shuffled`, the rows are in no order.
std::string with_second_date(const std::string& names, int spread, bool shuffled) {
  std::mt19937_64 random(5);
  Texts rows;
  for (int day = 0; day < 90; ++day) {
    const auto date = [](int number) {
      return "2024-" + std::string(number / 28 < 9 ? "0" : "") + std::to_string(number / 28 + 1) + "-" +
             std::to_string(number % 28 + 101).substr(1);
    };
    const int other = day + static_cast<int>(random() % static_cast<std::uint64_t>(spread));
    rows.push_back(std::string(1, static_cast<char>('a' + random() % 3)) + "," + std::to_string(random() % 1000) + "," +
                   date(day) + "," + date(other) + "\n");
  }
  if (shuffled) std::shuffle(rows.begin(), rows.end(), random);
  std::string csv = "arm,reward," + names + "\n";
  for (const std::string& row : rows) csv += row;
  return csv;
}

TEST(RowOrder, ASecondDateIsNoWarningIfTheFirstAscends) {
  for (const int spread : {30, 200}) {
    EXPECT_EQ(ordered_history(with_second_date("ordered,shipped", spread, false)).warnings, Texts{});
    EXPECT_EQ(ordered_history(with_second_date("start,end_date", spread, false)).warnings, Texts{});
  }
  EXPECT_EQ(ordered_history("arm,reward,week,end\na,1,1,2024-03-01\na,1,2,2024-02-01\na,0,3,2024-04-01\n").warnings,
            Texts{})
      << "numbers that are called like a time";
  EXPECT_EQ(
      ordered_history("arm,reward,count,end\na,1,1,2024-03-01\na,1,2,2024-02-01\na,0,3,2024-04-01\n").warnings.size(),
      1U)
      << "rows may have been counted after they were sorted";
}

TEST(RowOrder, ADateThatIsCalledSoIsAWarningIfTheRowsAreSortedByOneOfAnotherName) {
  for (const char* names : {"contract_end,date", "ordered,date", "end_date,date", "updated_at,created_at",
                            "Lieferdatum,Datum", "shipped,ordered"}) {
    const History history = ordered_history(with_second_date(names, 60, false));
    const std::string second = std::string(names).substr(std::string(names).find(',') + 1);
    ASSERT_EQ(history.warnings.size(), 1U) << names;
    EXPECT_NE(history.warnings[0].find("by the column '" + second + "', which is not used, they are not"),
              std::string::npos)
        << names;
    EXPECT_FALSE(history.order_confirmed) << names;
  }
  for (const char* names : {"date,contract_end", "date,ordered", "date,end_date", "created_at,updated_at",
                            "Datum,Lieferdatum", "ordered,shipped", "ordered,bought", "date,order_date"}) {
    const History history = ordered_history(with_second_date(names, 60, false));
    EXPECT_EQ(history.warnings, Texts{}) << names;
    EXPECT_TRUE(history.order_confirmed) << names;
  }
  EXPECT_EQ(ordered_history("arm,reward,date,end\na,1,03.04.23,2024-01-01\na,1,02.05.23,2024-01-02\n").warnings.size(),
            1U)
      << "an end does not say that dates that can be read in two ways are in order";
}

TEST(RowOrder, ADateThatDescendsOnlyWithinTheMonthsOfAnotherColumnIsAWarning) {
  const std::string csv =
      "arm,reward,month,bought\na,1,2024-01,2024-01-20\na,1,2024-01,2024-01-03\na,0,2024-02,2024-02-09\n"
      "a,0,2024-02,2024-02-08\na,1,2024-03,2024-03-01\n";
  EXPECT_EQ(ordered_history(csv).warnings,
            Texts{"past.csv: rows must be in the order of their pulls, but by the column 'bought', which is not used, "
                  "they are not: '2024-01-03' of line 3 is before line 2 of the same arm; sort the rows if this column "
                  "tells when pulls were made"});
}

TEST(RowOrder, DaysThatAreWrittenAsNumbersAreDatesWhateverTheirColumnIsCalled) {
  const auto warnings = [](const std::string& name, const Texts& cells) {
    std::string text = "arm,reward," + name + "\n";
    for (const std::string& cell : cells) text += "a,1," + cell + "\n";
    return ordered_history(text).warnings.size();
  };
  EXPECT_EQ(warnings("bought", {"20231230", "20240102", "20231231"}), 1U);
  EXPECT_EQ(warnings("bought", {"20231230", "20231231", "20240102"}), 0U);
  EXPECT_EQ(warnings("customer", {"20231230", "20239102", "20231231"}), 0U) << "not all are days";
}

TEST(RowOrder, NumbersOfSpansAndClocksAreNoWarning) {
  std::string cells;
  for (int i = 0; i < 40; ++i) cells += "a," + std::to_string(i % 7) + "," + std::to_string(i * 17 % 24) + "\n";
  for (const char* name :
       {"hour", "response time", "time on page", "time to close", "day_of_week", "day of the month", "minute",
        "time of day", "month of quarter", "time per page", "pages per day", "year to date"})
    EXPECT_EQ(ordered_history("arm,reward," + std::string(name) + "\n" + cells).warnings, Texts{}) << name;
  EXPECT_EQ(ordered_history("arm,reward,time step\n" + cells).warnings.size(), 1U);
  std::string hours = "arm,reward,hour\n";
  for (int i = 0; i < 40; ++i) hours += "a," + std::to_string(i % 7) + "," + std::to_string(i * 97 % 240) + "\n";
  EXPECT_EQ(ordered_history(hours).warnings.size(), 1U) << "hours that are counted on";
}

TEST(RowOrder, PrepositionsAloneMakeNoSpanOfATime) {
  for (const char* name : {"time_since_start", "week of sale", "date of sale", "month of purchase", "day on market",
                           "model time", "day of trial"}) {
    std::string descending = std::string("arm,reward,") + name + "\n";
    std::string ascending = descending;
    for (int i = 0; i < 9; ++i) {
      descending += "a," + std::to_string(i * i % 7) + "," + std::to_string(45'009 - i) + "\n";
      ascending += "a," + std::to_string(i * i % 7) + "," + std::to_string(45'001 + i) + "\n";
    }
    EXPECT_EQ(ordered_history(ascending).warnings, Texts{}) << name;
    EXPECT_EQ(ordered_history(descending).warnings.size(), 1U) << name;
  }
  EXPECT_EQ(ordered_history("arm,reward,time since start\na,1,2024-01-02\na,1,2024-01-01\n").warnings.size(), 1U);
  for (const char* name : {"customer since", "model year"})
    EXPECT_EQ(ordered_history("arm,reward," + std::string(name) + "\na,1,2024\na,1,2023\na,0,2022\n").warnings, Texts{})
        << name;
}

TEST(RowOrder, KindsOfDaysInGermanAreNoTimes) {
  for (const char* name :
       {"Feiertag", "Werktag", "istFeiertag", "Wochentag", "Arbeitstag", "Montag", "Sonntag", "Nachmittag"}) {
    std::string flags = std::string("arm,reward,") + name + "\n";
    std::string days = flags;
    for (int i = 0; i < 21; ++i) {
      const std::string row = "a," + std::to_string(i * i % 11) + ",";
      flags += row + std::to_string(i % 2) + "\n";
      days += row + std::to_string(7 - i % 7) + "\n";
    }
    EXPECT_EQ(ordered_history(flags).warnings, Texts{}) << name;
    EXPECT_EQ(ordered_history(days).warnings, Texts{}) << name;
  }
}

TEST(RowOrder, ColumnsBeyondTheMostWitnessesAreStillChecked) {
  std::string csv = "arm,reward";
  for (int column = 0; column < 100; ++column) csv += ",bought" + std::to_string(column);
  for (int row = 1; row < 10; ++row) {
    csv += "\na," + std::to_string(row * row % 7);
    for (int column = 0; column < 99; ++column) csv += ",2024-01-0" + std::to_string(row);
    csv += ",2024-01-0" + std::to_string(row == 9 ? 1 : row);
  }
  EXPECT_EQ(ordered_history(csv + "\n").warnings, Texts{}) << "an attribute of the first";
  EXPECT_EQ(ordered_history(csv + "\na,3" +
                            [] {
                              std::string cells;
                              for (int column = 0; column < 100; ++column) cells += ",2024-01-01";
                              return cells + "\n";
                            }())
                .warnings.size(),
            1U);
}

TEST(RowOrder, WeeksAndMonthsInOtherLanguagesOutOfOrderAreAWarning) {
  for (const auto& [earlier, later] :
       {std::pair{"KW05/2023", "KW06/2023"}, std::pair{"W9 2023", "W10 2023"},
        std::pair{"Januar 2023", "M\u00e4rz 2023"}, std::pair{"31 ene 2023", "1 feb 2023"},
        std::pair{"2023-W9", "2023-W10"}, std::pair{"2023-9-9", "2023-10-10"}}) {
    const auto warnings = [](const std::string& first, const std::string& second) {
      return ordered_history(fmt::format("arm,reward,verkauft\na,1,{}\na,0,{}\n", first, second)).warnings.size();
    };
    EXPECT_EQ(warnings(earlier, later), 0U) << earlier;
    EXPECT_EQ(warnings(later, earlier), 1U) << earlier;
  }
}

TEST(RowOrder, IfNoDateAscendsTheOneWithTheFewestStepsBackIsNamed) {
  std::string csv = "arm,reward,ended,started\n";
  for (int day = 10; day < 28; ++day) {
    const int start = day == 20 ? 1 : day;  // one row that was moved
    csv += "a,1,2024-03-" + std::to_string(10 + day * 7 % 19) + ",2024-02-" + (start < 10 ? "0" : "") +
           std::to_string(start) + "\n";
  }
  EXPECT_EQ(ordered_history(csv).warnings,
            Texts{"past.csv: rows must be in the order of their pulls, but by the column 'started', which is not used, "
                  "they are not: '2024-02-01' of line 12 is before line 11 of the same arm; sort the rows if this "
                  "column tells when pulls were made (by 2 columns they are not in order, and this one has the fewest "
                  "steps back; another may be that of the pulls)"});
  EXPECT_EQ(ordered_history(with_second_date("ordered,shipped", 20, true)).warnings.size(), 1U);
}

TEST(RowOrder, ADateThatIsCalledOtherwiseThanThatOfAPullIsNoWarning) {
  for (const char* name : {"date of birth", "due_date", "Expires", "dob", "Geburtstag", "F\u00e4lligkeitsdatum"}) {
    EXPECT_EQ(ordered_history(std::string("arm,reward,") + name + "\na,1,1990-03-01\na,1,1980-02-01\n").warnings,
              Texts{})
        << name;
  }
}

TEST(RowOrder, NumbersThatBeginAgainOrAreNoTimesAreNoWarning) {
  std::string months = "arm,reward,month\n";
  std::string prices = "arm,reward,price,id\n";
  std::string ids = "arm,reward,id\n";
  for (int i = 0; i < 24; ++i) {
    months += "a,1," + std::to_string(1 + i % 12) + "\n";
    prices += "a,1," + std::to_string(50 - i) + "," + std::to_string(i * 7 % 24) + "\n";
    ids += "a,1," + std::to_string(900 - i) + "\n";
  }
  EXPECT_TRUE(ordered_history(months).warnings.empty()) << "two years";
  EXPECT_TRUE(ordered_history(month_names(false)).warnings.empty()) << "two years";
  EXPECT_TRUE(ordered_history(prices).warnings.empty()) << "prices fall, customers come in any order";
  EXPECT_EQ(ordered_history(ids).warnings.size(), 1U) << "numbers of rows that count down";
  EXPECT_TRUE(ordered_history("arm,reward,day\na,1,tuesday\na,0,monday\n").warnings.empty());
}

TEST(RowOrder, AnIndexOfPandasThatWasShuffledIsAWarning) {
  const auto warnings = [](const std::string& name, const Texts& cells) {
    std::string text = name + ",arm,reward\n";
    for (std::size_t row = 0; row < cells.size(); ++row) text += cells[row] + (row % 2 == 0 ? ",a,1\n" : ",b,1\n");
    return ordered_history(text).warnings;
  };
  const Texts shuffled{"2", "5", "4", "1", "0", "3"};
  EXPECT_EQ(warnings("", shuffled),
            Texts{"past.csv: rows must be in the order of their pulls, but by the column without a name, which is not "
                  "used, they are not: '1' of line 5 is before line 3 of the same arm; sort the rows if this column "
                  "tells when pulls were made"});
  EXPECT_EQ(warnings("index", shuffled).size(), 1U);
  EXPECT_EQ(warnings("Unnamed: 0", shuffled).size(), 1U);
  EXPECT_TRUE(warnings("customer", shuffled).empty()) << "customers come in any order";
  EXPECT_TRUE(warnings("", {"2", "5", "4", "1", "0", "7"}).empty()) << "not the numbers of the rows";
  EXPECT_TRUE(warnings("", {"2", "5", "4", "1", "0", "5"}).empty()) << "one twice";
  EXPECT_TRUE(warnings("", {"2", "5", "4", "1", "0", "x"}).empty());
  EXPECT_TRUE(warnings("", {"0", "3", "1", "4", "2", "5"}).empty()) << "in order within each arm";
}

TEST(RowOrder, NumbersOfPullsThatWereShuffledAreAWarning) {
  const auto warnings = [](const std::string& name, const std::vector<int>& numbers) {
    std::string text = name + ",arm,reward\n";
    for (std::size_t row = 0; row < numbers.size(); ++row)
      text += std::to_string(numbers[row]) + (row % 2 == 0 ? ",a,1\n" : ",b,1\n");
    return ordered_history(text).warnings;
  };
  const std::vector<int> of_each_arm{1, 3, 2, 1, 5, 2, 4, 5, 3, 4};
  EXPECT_EQ(warnings("pull", of_each_arm),
            Texts{"past.csv: rows must be in the order of their pulls, but by the column 'pull', which is not used, "
                  "they are not: '1' of line 5 is before line 3 of the same arm; sort the rows if this column tells "
                  "when pulls were made"});
  EXPECT_EQ(warnings("Trial_nr", of_each_arm).size(), 1U);
  EXPECT_EQ(warnings("decision", {2, 9, 4, 1, 30, 3, 6, 7, 8, 5}).size(), 1U) << "of all arms, with gaps";
  EXPECT_TRUE(warnings("pull", {1, 1, 2, 2, 3, 3, 4, 4, 5, 5}).empty());
  EXPECT_TRUE(warnings("decision", {1, 0, 0, 1, 1, 1, 0, 0, 1, 0}).empty()) << "yes or no";
  EXPECT_TRUE(warnings("trial", {1, 3, 2, 1}).empty()) << "too few to tell";
  EXPECT_TRUE(warnings("customer", of_each_arm).empty());
}

TEST(RowOrder, AColumnThatIsCheckedDecidesAlone) {
  EXPECT_TRUE(ordered_history("arm,reward,round,day\na,1,1,9\na,0,2,8\n").warnings.empty());
  EXPECT_TRUE(ordered_history("arm,reward,day\na,1,9\na,0,8\n", {.time = ""}).warnings.empty()) << "no check";
  EXPECT_THROW(ordered_history("arm,reward,day\na,1,9\na,0,8\n", {.time = "day"}), RowOrderError);
}

TEST(RowOrder, RoundsAreKnownByTheirRows) {
  const History history = ordered_history("arm,reward,round\na,1,3\nb,1,3\na,0,4\na,,7\nb,,7\n");
  EXPECT_EQ(history.rounds, (std::vector<LoggedRound>{{3, 0, 2}, {4, 2, 3}, {7, 3, 5}}));
  EXPECT_TRUE(ordered_history("arm,reward\na,1\n").rounds.empty());
}

TEST(RowOrder, IsConfirmedByRoundsTimesOrDatesThatAscend) {
  const auto confirmed = [](const std::string& column, const Texts& cells) {
    std::string text = "arm,reward," + column + "\n";
    for (const std::string& cell : cells) text += "a,1," + cell + "\n";
    return ordered_history(text).order_confirmed;
  };
  EXPECT_TRUE(confirmed("round", {"1", "1", "2"}));
  EXPECT_TRUE(confirmed("time", {"1", "2", "5"}));
  EXPECT_TRUE(confirmed("bought", {"2024-01-01", "2024-01-02", "2024-01-02"}));
  EXPECT_TRUE(confirmed("bought", {"1.1.2024", "2.1.2024", "13.1.2024"})) << "days come first";
  EXPECT_TRUE(confirmed("bought", {"1/1/2024", "1/2/2024", "1/13/2024"})) << "months come first";
  EXPECT_FALSE(confirmed("bought", {"2024-01-01", "2024-01-01", "2024-01-01"})) << "one day says nothing";
  EXPECT_FALSE(confirmed("bought", {"2024-01-02", "2024-01-01", "2024-01-03"}));
  EXPECT_FALSE(confirmed("customer", {"C1", "C2", "C3"}));
  EXPECT_FALSE(confirmed("number", {"1", "2", "3"})) << "the rows may have been numbered after they were sorted";
  EXPECT_FALSE(ordered_history("arm,reward\na,1\na,0\n").order_confirmed);
}

TEST(RowOrder, ColumnsWithANameOfTimesOrCountsMayTellTheOrder) {
  for (const char* name : {"time", "created_at", "Day", "index", "row number", "Unnamed: 0", ""})
    EXPECT_TRUE(may_tell_order(name)) << name;
  for (const char* name : {"weight", "customer", "price"}) EXPECT_FALSE(may_tell_order(name)) << name;
}

}  // namespace
}  // namespace longrun
