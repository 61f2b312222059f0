#pragma once

#include <cstddef>
#include <fstream>
#include <istream>
#include <string>
#include <string_view>
#include <vector>

#include "longrun/base/input_error.h"

namespace longrun {

/// Opens a CSV file for reading. Throws as open_file() does (base/read_file.h).
std::ifstream open_text(const std::string& path);

/// Returns the text as a CSV cell: in quotes if it contains a comma, a quote or a line break.
std::string csv_cell(std::string_view text);

/// What messages call the rows of a CSV text.
enum class RowNames {
  lines,       ///< "line 3, column 2 (reward)": rows of a file
  frame_rows,  ///< "row 1, column 'reward'": rows of a data frame, counted from 0 after the header in line 1
};

/// Returns "line 3" or "row 1".
std::string row_name(std::size_t line, RowNames names);

/// An error in a CSV text as a whole, or in one of its lines.
class CsvError : public InputError {
 public:
  /// An error in the text as a whole.
  CsvError(const std::string& path, const std::string& problem);
  /// An error in a line, which has `name`. `part` is the part of the line, such as "column 2 (reward)". Without it, the
  /// problem follows the name: "has 2 columns".
  CsvError(const std::string& path, std::size_t line, const std::string& name, const std::string& part,
           const std::string& problem);

  /// Returns the line, from 1; 0 if the error is in the text as a whole.
  std::size_t line() const { return line_; }
  const std::string& problem() const { return problem_; }  ///< the message without the path
  const std::string& in_line() const { return in_line_; }  ///< the message without the path and the line
  bool names_part() const { return names_part_; }          ///< whether in_line() begins with a part of the line

 private:
  std::size_t line_ = 0;
  bool names_part_ = false;
  std::string in_line_;
  std::string problem_;
};

/// A reader of CSV texts, row by row: a header line with the names of the columns, then rows with one cell per column.
/// Lines end with LF or CR LF; if the first one ends with CR alone, with CR too. Any other CR is an error.
///
/// The header decides the separator: comma, semicolon or tab, or a vertical bar if it has none of these; or a line
/// before it, "sep=;", which Excel reads too. Blanks around a cell are removed, and so are empty cells at the end of a
/// row beyond those of the header. A cell in quotes may contain separators and doubled quotes, but no line breaks. The
/// decimal mark is a point. Every error in the text is an InputError of one line that names the file and, where they
/// are known, line, column and value. A failure to read is a SystemError.
class CsvReader {
 public:
  /// Reads the header. `path`, `columns`, a description of the columns, and the names of rows are for errors.
  CsvReader(std::string path, std::istream& text, std::string_view columns, RowNames rows = RowNames::lines);
  CsvReader(const CsvReader&) = delete;  // cells_ refers to line_
  CsvReader& operator=(const CsvReader&) = delete;

  const std::vector<std::string>& names() const { return names_; }

  /// Reads the next row and returns true, or returns false at the end. Blank lines are allowed only at the end. After
  /// an error, the next call goes on with the row that follows what is wrong.
  bool next();
  std::string_view cell(std::size_t column) const { return cells_[column]; }
  /// Returns the cell as a number; a typographic minus sign (U+2212) is one. Throws InputError unless it is a finite
  /// number: the error is a CsvError.
  double number(std::size_t column) const;
  /// Returns the line of the current row, from 1.
  std::size_t line() const { return line_number_; }
  RowNames row_names() const { return row_names_; }
  /// Returns "path: line 1", or "path:" for rows of a data frame: the beginning of an error about the header.
  std::string where_header() const;
  /// Returns "path: line 3, column 2 (name)": the beginning of an error about a cell of this row.
  std::string where(std::size_t column) const { return where(column, line_number_); }
  /// Returns the same for a cell of another row.
  std::string where(std::size_t column, std::size_t line) const;
  /// Returns an error about the header. `part` and `problem` are as those of a CsvError.
  CsvError header_error(const std::string& part, const std::string& problem) const;
  /// Returns an error about a cell of this row.
  CsvError error(std::size_t column, const std::string& problem) const;
  /// Throws InputError if no row has been read.
  void check_has_rows() const;

 private:
  bool read_to_line_end();
  bool next_line();
  void split_line();
  /// Returns "column 2 (name)" or "column 'name'".
  std::string column_name(std::size_t column) const;
  /// Returns an error about a line.
  CsvError line_error(std::size_t line, const std::string& part, const std::string& problem) const;

  std::string path_;
  RowNames row_names_;
  std::istream& text_;
  char separator_ = ',';
  std::size_t header_line_ = 1;          // 2 after a line that states the separator
  std::vector<std::string> names_;       // one per column
  std::string line_;                     // the current line, without blanks at its end; doubled quotes are made single
  std::string lines_;                    // lines that end with carriage returns alone, read from text_ at once
  std::size_t lines_read_ = 0;           // bytes of lines_ before the next line
  bool returns_end_lines_ = false;       // whether the first line ends with a carriage return alone
  bool has_more_lines_ = false;          // whether lines_ has a line that is not read yet
  std::size_t line_number_ = 0;          // of line_, from 1
  std::vector<std::string_view> cells_;  // of the current row, one per column; they refer to line_
  std::size_t rows_ = 0;                 // rows read
  bool has_line_ = false;                // whether line_ is a row that next() has not returned yet
};

}  // namespace longrun
