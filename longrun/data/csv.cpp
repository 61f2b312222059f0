#include "longrun/data/csv.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <optional>
#include <utility>

#include "longrun/base/input_error.h"
#include "longrun/base/parse_number.h"
#include "longrun/base/read_file.h"
#include "longrun/base/text.h"
#include "longrun/data/number_advice.h"

namespace longrun {
namespace {

constexpr std::string_view kBlanks = " \t\r";

/// Returns the characters that are blanks in a file with this separator.
std::string_view blanks_beside(char separator) { return separator == '\t' ? " \r" : kBlanks; }

/// Returns the text without the blanks around it. The no-break spaces of spreadsheets are blanks too.
std::string_view trimmed(std::string_view text, std::string_view blanks) {
  constexpr std::string_view kNoBreakSpace = "\xC2\xA0";
  for (;;) {
    const std::size_t first = text.find_first_not_of(blanks);
    if (first == std::string_view::npos) return {};
    text = text.substr(first, text.find_last_not_of(blanks) - first + 1);
    const bool before = text.starts_with(kNoBreakSpace);
    if (before) text.remove_prefix(kNoBreakSpace.size());
    const bool after = text.ends_with(kNoBreakSpace);
    if (after) text.remove_suffix(kNoBreakSpace.size());
    if (!before && !after) return text;
  }
}

/// Returns the text between the quote at `quote` and the closing quote, and moves `quote` behind the closing one, or to
/// npos if there is none. Replaces doubled quotes with single ones in `line`.
std::string_view quoted_text(std::string& line, std::size_t& quote) {
  const std::size_t begin = quote + 1;
  std::size_t length = 0;
  for (std::size_t i = begin; i < line.size(); ++i) {
    if (line[i] == '"') {
      const bool doubled = i + 1 < line.size() && line[i + 1] == '"';
      if (!doubled) {
        quote = i + 1;
        return std::string_view(line).substr(begin, length);
      }
      ++i;
    }
    line[begin + length++] = line[i];
  }
  quote = std::string::npos;
  return {};
}

/// Splits a line into cells, which refer to it. Stops at an invalid cell, the last of `cells`, and returns the problem;
/// returns an empty text if all cells are valid.
std::string_view split_cells(std::string& line, char separator, std::vector<std::string_view>& cells) {
  const std::string_view blanks = blanks_beside(separator);
  cells.clear();
  for (std::size_t begin = 0;;) {
    std::size_t end = line.find(separator, begin);
    const std::size_t first = line.find_first_not_of(blanks, begin);
    if (first != std::string::npos && line[first] == '"') {
      std::size_t after = first;
      cells.push_back(quoted_text(line, after));
      if (after == std::string::npos) return "has no closing quote on this line; a cell can't contain line breaks";
      end = line.find(separator, after);
      if (!trimmed(std::string_view(line).substr(after, end - after), blanks).empty())
        return "has text after its closing quote; a quote inside quotes is doubled";
    } else {
      cells.push_back(trimmed(std::string_view(line).substr(begin, end - begin), blanks));
    }
    if (end == std::string::npos) return {};
    begin = end + 1;
  }
}

bool is_separator(char c) { return c == ',' || c == ';' || c == '\t' || c == '|'; }

/// Returns the position of the quote that closes the one at `quote`, or the size of the line if there is none.
std::size_t closing_quote(std::string_view line, std::size_t quote) {
  for (std::size_t i = quote + 1; i < line.size(); ++i) {
    if (line[i] != '"') continue;
    const bool doubled = i + 1 < line.size() && line[i + 1] == '"';
    if (!doubled) return i;
    ++i;
  }
  return line.size();
}

/// Returns the header without spaces and with one letter for every quoted text, so that every separator character in it
/// is outside quotes.
std::string skeleton(std::string_view header) {
  std::string result;
  for (std::size_t i = 0; i < header.size(); ++i) {
    const bool opens = header[i] == '"' && (result.empty() || is_separator(result.back()));
    if (opens) {
      i = closing_quote(header, i);
      result += 'q';
    } else if (header[i] != ' ') {
      result += header[i];
    }
  }
  return result;
}

/// Returns whether a tab separates two texts. Beside another separator, or at an end of the line, a tab is a blank.
bool has_separating_tab(std::string_view skeleton) {
  for (std::size_t tab = skeleton.find('\t'); tab != std::string_view::npos; tab = skeleton.find('\t', tab)) {
    const std::size_t after = skeleton.find_first_not_of('\t', tab);
    if (tab > 0 && after != std::string_view::npos && !is_separator(skeleton[tab - 1]) &&
        !is_separator(skeleton[after]))
      return true;
    tab = std::min(after, skeleton.size());
  }
  return false;
}

/// Returns the separator that the first line of a file for Excel states, "sep=;", perhaps in quotes; nullopt for any
/// other line.
std::optional<char> stated_separator(const std::string& path, std::string_view line) {
  constexpr std::string_view kStatement = "sep=";
  if (line.size() > 2 && line.starts_with('"') && line.ends_with('"')) line = line.substr(1, line.size() - 2);
  if (line.size() != kStatement.size() + 1 || !lower_case(std::string(line)).starts_with(kStatement))
    return std::nullopt;
  if (is_separator(line.back())) return line.back();
  throw CsvError(path, 1, "line 1", "",
                 fmt::format("has separator '{}', which is not a comma, semicolon, tab or vertical bar", line.back()));
}

/// Returns the separator of a header; a vertical bar only if it has no other. Throws InputError, which names no line,
/// if it has several others.
char separator_of(std::string_view header) {
  const std::string texts = skeleton(header);
  std::vector<std::pair<char, std::string_view>> found;
  if (texts.find(',') != std::string::npos) found.emplace_back(',', "commas");
  if (texts.find(';') != std::string::npos) found.emplace_back(';', "semicolons");
  if (has_separating_tab(texts)) found.emplace_back('\t', "tabs");
  if (found.size() > 1) {
    throw InputError(fmt::format("has {} and {}; use one separator, and quote names that contain the other",
                                 found[0].second, found[1].second));
  }
  if (!found.empty()) return found[0].first;
  return texts.find('|') != std::string::npos ? '|' : ',';
}

/// Returns the number of pairs of successive cells that can be numbers with the separator as their decimal mark.
std::size_t split_decimals(const std::vector<std::string_view>& cells) {
  const auto are_digits = [](std::string_view text) { return is_whole_number(text) && !text.starts_with('-'); };
  std::size_t pairs = 0;
  for (std::size_t i = 1; i < cells.size(); ++i) {
    if (!is_whole_number(cells[i - 1]) || !are_digits(cells[i])) continue;
    ++pairs;
    ++i;  // a cell belongs to one number
  }
  return pairs;
}

/// Returns what may be the reason that a line has more cells than the header has `columns`.
std::string advice_for_more_cells(const std::vector<std::string_view>& cells, std::size_t columns, char separator) {
  const bool may_be_decimals = separator == ',' && split_decimals(cells) >= cells.size() - columns;
  return fmt::format("; {}a cell that contains a {} must be in quotes",
                     may_be_decimals ? "the decimal mark must be a point, and " : "",
                     separator == ','   ? "comma"
                     : separator == ';' ? "semicolon"
                     : separator == '|' ? "vertical bar"
                                        : "tab");
}

}  // namespace

std::string row_name(std::size_t line, RowNames names) {
  constexpr std::size_t kFirstRow = 2;  // the line of row 0
  return names == RowNames::lines ? fmt::format("line {}", line) : fmt::format("row {}", line - kFirstRow);
}

CsvError::CsvError(const std::string& path, const std::string& problem)
    : InputError(path + ": " + problem), in_line_(problem), problem_(problem) {}

CsvError::CsvError(const std::string& path, std::size_t line, const std::string& name, const std::string& part,
                   const std::string& problem)
    : InputError(
          fmt::format("{}: {}{}{}{} {}", path, name, part.empty() ? "" : ", ", part, part.empty() ? "" : ":", problem)),
      line_(line),
      names_part_(!part.empty()),
      in_line_(part.empty() ? problem : part + ": " + problem),
      problem_(std::string(what()).substr(path.size() + 2)) {}

std::ifstream open_text(const std::string& path) { return open_file(path, "CSV file"); }

std::string csv_cell(std::string_view text) {
  if (text.find_first_of(",\"\r\n") == std::string_view::npos) return std::string(text);
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + '"';
}

CsvReader::CsvReader(std::string path, std::istream& text, std::string_view columns, RowNames rows)
    : path_(std::move(path)), row_names_(rows), text_(text) {
  if (!next_line()) throw CsvError(path_, fmt::format("is empty; it should start with the names of {}", columns));
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  if (line_.starts_with(kByteOrderMark)) line_.erase(0, kByteOrderMark.size());
  const std::optional<char> stated = stated_separator(path_, line_);
  if (stated && !next_line()) throw CsvError(path_, fmt::format("ends after line 1; line 2 should name {}", columns));
  header_line_ = line_number_;
  if (trimmed(line_, kBlanks).empty()) throw header_error("", fmt::format("is empty; it should name {}", columns));
  line_.erase(line_.find_last_not_of(kBlanks) + 1);  // tabs at the end of a header name no columns
  try {
    separator_ = stated ? *stated : separator_of(line_);
  } catch (const InputError& error) {
    throw header_error("", error.what());
  }
  split_line();
  names_.assign(cells_.begin(), cells_.end());
}

bool CsvReader::next() {
  std::size_t blank_line = 0;
  while (std::exchange(has_line_, false) || next_line()) {
    if (trimmed(line_, kBlanks).empty()) {
      if (blank_line == 0) blank_line = line_number_;
      continue;
    }
    if (blank_line != 0) {
      has_line_ = true;
      throw line_error(blank_line, "", "is empty, but rows follow it");
    }
    split_line();
    while (cells_.size() > names_.size() && cells_.back().empty()) cells_.pop_back();  // separators at the end
    if (cells_.size() != names_.size()) {
      throw line_error(
          line_number_, "",
          fmt::format("has {} columns, the header {}{}", cells_.size(), names_.size(),
                      cells_.size() < names_.size() ? "" : advice_for_more_cells(cells_, names_.size(), separator_)));
    }
    ++rows_;
    return true;
  }
  return false;
}

void CsvReader::check_has_rows() const {
  if (rows_ == 0) throw CsvError(path_, "has no rows after the header");
}

void CsvReader::split_line() {
  const std::string_view problem = split_cells(line_, separator_, cells_);
  if (problem.empty()) return;
  throw line_error(line_number_, fmt::format("cell {}", cells_.size()), std::string(problem));
}

/// Reads up to the next end of a line: LF, CR LF, or CR alone if the first line ends so, as in files of old Macs.
bool CsvReader::read_to_line_end() {
  if (!has_more_lines_) {
    if (!std::getline(text_, line_)) {
      if (text_.bad()) throw_unreadable(path_, errno);
      return false;
    }
    line_.erase(line_.find_last_not_of('\r') + 1);  // of the same line end
    const bool has_return = line_.find('\r') != std::string::npos;
    if (line_number_ == 0) returns_end_lines_ = has_return;
    if (!has_return || !returns_end_lines_) return true;
    std::swap(lines_, line_);
    lines_read_ = 0;
    has_more_lines_ = true;
  }
  const std::size_t end = lines_.find('\r', lines_read_);
  line_.assign(lines_, lines_read_, end == std::string::npos ? end : end - lines_read_);
  has_more_lines_ = end != std::string::npos;
  lines_read_ = end + 1;
  return true;
}

/// Reads a line without the blanks at its end. Tabs stay: they may be separators.
bool CsvReader::next_line() {
  if (!read_to_line_end()) return false;
  ++line_number_;
  // Texts in UTF-16 begin with a byte order mark, or have a zero byte beside each letter.
  const bool is_utf16 =
      line_number_ == 1 && (line_.starts_with("\xFF\xFE") || line_.starts_with("\xFE\xFF") ||
                            std::string_view(line_).substr(0, 2).find('\0') != std::string_view::npos);
  if (is_utf16) throw CsvError(path_, "is encoded in UTF-16; save it as UTF-8");
  line_.erase(line_.find_last_not_of(blanks_beside('\t')) + 1);
  if (const std::size_t inside = line_.find('\r'); inside != std::string::npos) {
    throw line_error(line_number_, fmt::format("byte {}", inside + 1),
                     "is a carriage return inside the line; remove it, or end all lines in one way");
  }
  // Control characters indicate another encoding or another kind of file. They must not get into names and messages.
  const auto control = std::find_if(line_.begin(), line_.end(), [](char c) {
    return (static_cast<unsigned char>(c) < ' ' && c != '\t') || c == '\x7F';
  });
  if (control != line_.end()) {
    throw line_error(
        line_number_, fmt::format("byte {}", control - line_.begin() + 1),
        fmt::format("is the control character 0x{:02x}; this is not a CSV file", static_cast<unsigned char>(*control)));
  }
  return true;
}

double CsvReader::number(std::size_t column) const {
  constexpr std::string_view kMinusSign = "\u2212";  // of typography
  const std::string_view cell = cells_[column];
  const bool has_minus_sign = cell.starts_with(kMinusSign);
  const auto value =
      has_minus_sign ? parse_number("-" + std::string(cell.substr(kMinusSign.size()))) : parse_number(cell);
  if (value && std::isfinite(*value)) return *value;
  throw error(column, fmt::format("'{}' is not a finite number{}", cell, number_advice(cell)));
}

std::string CsvReader::where_header() const {
  return row_names_ == RowNames::lines ? fmt::format("{}: line {}", path_, header_line_) : path_ + ":";
}

std::string CsvReader::where(std::size_t column, std::size_t line) const {
  return fmt::format("{}: {}, {}", path_, row_name(line, row_names_), column_name(column));
}

std::string CsvReader::column_name(std::size_t column) const {
  return row_names_ == RowNames::lines ? fmt::format("column {} ({})", column + 1, names_[column])
                                       : fmt::format("column '{}'", names_[column]);
}

CsvError CsvReader::header_error(const std::string& part, const std::string& problem) const {
  return {path_, header_line_, fmt::format("line {}", header_line_), part, problem};
}

CsvError CsvReader::error(std::size_t column, const std::string& problem) const {
  return line_error(line_number_, column_name(column), problem);
}

CsvError CsvReader::line_error(std::size_t line, const std::string& part, const std::string& problem) const {
  return {path_, line, row_name(line, row_names_), part, problem};
}

}  // namespace longrun
