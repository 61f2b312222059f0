#include "longrun/data/csv.h"

#include <gtest/gtest.h>

#include <sstream>

namespace longrun {
namespace {

/// Reads all rows and the number in their first column. Returns the first error, or one about nothing.
CsvError error_in(const std::string& text, RowNames rows = RowNames::lines) {
  std::istringstream stream(text);
  try {
    CsvReader csv("x.csv", stream, "the arms", rows);
    while (csv.next()) csv.number(0);
  } catch (const CsvError& error) {
    return error;
  }
  return {"", ""};
}

TEST(CsvError, HasItsLineAndTheMessageWithoutIt) {
  const CsvError cell = error_in("sep=;\na;b\n1;2\nx;2\n");
  EXPECT_STREQ(cell.what(), "x.csv: line 4, column 1 (a): 'x' is not a finite number");
  EXPECT_EQ(cell.line(), 4U);
  EXPECT_EQ(cell.problem(), "line 4, column 1 (a): 'x' is not a finite number");
  EXPECT_EQ(cell.in_line(), "column 1 (a): 'x' is not a finite number");
  EXPECT_TRUE(cell.names_part());
  const CsvError row = error_in("a,b\n1,2\n1\n");
  EXPECT_STREQ(row.what(), "x.csv: line 3 has 1 columns, the header 2");
  EXPECT_EQ(row.line(), 3U);
  EXPECT_EQ(row.in_line(), "has 1 columns, the header 2");
  EXPECT_FALSE(row.names_part());
  const CsvError blank = error_in("a\n1\n\n\n2\n");
  EXPECT_EQ(blank.line(), 3U) << "not the line that the reader has reached";
  EXPECT_EQ(error_in("a;b,c\n").line(), 1U);
  const CsvError whole = error_in("");
  EXPECT_EQ(whole.line(), 0U);
  EXPECT_EQ(whole.problem(), whole.in_line());
}

TEST(CsvError, NamesRowsOfADataFrameFrom0) {
  EXPECT_STREQ(error_in("a,b\n1,2\nx,2\n", RowNames::frame_rows).what(),
               "x.csv: row 1, column 'a': 'x' is not a finite number");
  EXPECT_STREQ(error_in("a,b\n1\n", RowNames::frame_rows).what(), "x.csv: row 0 has 1 columns, the header 2");
}

}  // namespace
}  // namespace longrun
