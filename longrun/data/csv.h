#pragma once

#include <cstddef>
#include <fstream>
#include <istream>
#include <string>
#include <string_view>
#include <vector>

namespace longrun {

/// Opens a file for reading; an InputError that starts with its path says why that fails.
std::ifstream open_text(const std::string& path);

/// A CSV text, read row by row: a line with the names of the columns, then rows of as many cells. Blanks around a cell
/// are taken off. In quotes a cell may have commas, and quotes that are doubled, but no line breaks. Everything wrong
/// is an InputError of one line that names the file, line, column and value.
class CsvReader {
 public:
  /// Reads the names. `named` says what they stand for, in errors. `path` is only for errors, too.
  CsvReader(std::string path, std::istream& text, std::string_view named);
  CsvReader(const CsvReader&) = delete;  // cells point into the line
  CsvReader& operator=(const CsvReader&) = delete;

  const std::vector<std::string>& names() const { return names_; }

  /// Goes on to the next row; false if there is none. Only the end of the text may have blank lines.
  bool next();
  std::size_t line() const { return line_number_; }
  std::string_view cell(std::size_t column) const { return cells_[column]; }
  /// The cell as a finite number.
  double number(std::size_t column) const;
  /// "path: line 3, column 2 (name)", with which an error about a cell of this row begins.
  std::string where(std::size_t column) const;

 private:
  bool next_line();
  void split_line();

  std::string path_;
  std::istream& text_;
  std::vector<std::string> names_;
  std::string line_;
  std::size_t line_number_ = 0;
  std::vector<std::string_view> cells_;
  std::size_t rows_ = 0;
};

}  // namespace longrun
