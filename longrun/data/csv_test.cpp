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

/// Returns the cells of all rows with their lines, as "2:a|1 3:b|2 ".
std::string cells_of(const std::string& text) {
  std::istringstream stream(text);
  CsvReader csv("x.csv", stream, "the arms");
  std::string cells;
  while (csv.next()) {
    cells += std::to_string(csv.line()) + ":";
    for (std::size_t column = 0; column < csv.names().size(); ++column)
      cells += (column == 0 ? "" : "|") + std::string(csv.cell(column));
    cells += ' ';
  }
  return cells;
}

TEST(CsvReader, ReadsLineEndsOfAllSystemsAlsoInOneFile) {
  for (const char* text : {"arm,reward\na,1\nb,2\nc,3\n", "arm,reward\r\na,1\r\nb,2\r\nc,3",
                           "arm,reward\ra,1\rb,2\rc,3\r", "arm,reward\ra,1\rb,2\rc,3", "arm,reward\ra,1\nb,2\r\nc,3\n",
                           "arm,reward\r\r\na,1\r\nb,2\nc,3\r", "sep=,\rarm,reward\ra,1\rb,2\rc,3\r\r\n"})
    EXPECT_EQ(cells_of(text), text[0] == 's' ? "3:a|1 4:b|2 5:c|3 " : "2:a|1 3:b|2 4:c|3 ") << text;
  EXPECT_STREQ(error_in("a,b\r1,2\rx,2\r").what(), "x.csv: line 3, column 1 (a): 'x' is not a finite number");
  EXPECT_STREQ(error_in("a,b\r1,2\r\r2,2\n").what(), "x.csv: line 3 is empty, but rows follow it");
}

TEST(CsvReader, ACarriageReturnInsideALineIsAnErrorUnlessTheFirstLineEndsWithOne) {
  for (const char* text : {"a,b\n1,see\r2,0\n3,3\n", "a,b\r\n1,see\r2,0\r\n", "a,b\n1,see\r0\n"}) {
    const CsvError error = error_in(text);
    EXPECT_STREQ(error.what(),
                 "x.csv: line 2, byte 6: is a carriage return inside the line; remove it, or end all lines in one way")
        << text;
    EXPECT_EQ(error.line(), 2U);
  }
  EXPECT_EQ(error_in("a,b\n1,\"x\ry\"\n").line(), 2U);
  EXPECT_EQ(cells_of("a,b\n1,see\r\r\n2,0\r"), "2:1|see 3:2|0 ") << "at the ends of lines";
}

TEST(CsvError, NamesRowsOfADataFrameFrom0) {
  EXPECT_STREQ(error_in("a,b\n1,2\nx,2\n", RowNames::frame_rows).what(),
               "x.csv: row 1, column 'a': 'x' is not a finite number");
  EXPECT_STREQ(error_in("a,b\n1\n", RowNames::frame_rows).what(), "x.csv: row 0 has 1 columns, the header 2");
}

}  // namespace
}  // namespace longrun
