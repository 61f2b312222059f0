#include "longrun/data/csv.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <system_error>
#include <utility>

#include "longrun/base/input_error.h"
#include "longrun/base/parse_number.h"

namespace longrun {
namespace {

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlank = " \t\r";
  const std::size_t first = text.find_first_not_of(kBlank);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlank) - first + 1);
}

/// What is between the quotes that begin at `quote`; two in a row stand for one, and are made one in the line itself.
/// `quote` moves behind the closing one, or to npos where there is none.
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

/// The cells of a line, which they point into; false if a quote is not closed, or closed before the end of its cell.
bool split_cells(std::string& line, std::vector<std::string_view>& cells) {
  cells.clear();
  for (std::size_t begin = 0;;) {
    std::size_t end = line.find(',', begin);
    const std::size_t first = line.find_first_not_of(" \t", begin);
    if (first != std::string::npos && line[first] == '"') {
      std::size_t after = first;
      cells.push_back(quoted_text(line, after));
      if (after == std::string::npos) return false;
      end = line.find(',', after);
      if (!trimmed(std::string_view(line).substr(after, end - after)).empty()) return false;
    } else {
      cells.push_back(trimmed(std::string_view(line).substr(begin, end - begin)));
    }
    if (end == std::string::npos) return true;
    begin = end + 1;
  }
}

}  // namespace

std::ifstream open_text(const std::string& path) {
  std::error_code failure;
  if (!std::filesystem::exists(path, failure)) throw InputError(fmt::format("{}: no such file", path));
  if (std::filesystem::is_directory(path, failure))
    throw InputError(fmt::format("{}: is a folder, not a CSV file", path));
  std::ifstream file(path, std::ios::binary);
  if (!file) throw InputError(fmt::format("{}: cannot be read", path));
  return file;
}

CsvReader::CsvReader(std::string path, std::istream& text, std::string_view named)
    : path_(std::move(path)), text_(text) {
  if (!next_line()) throw InputError(fmt::format("{}: is empty; it should start with the names of {}", path_, named));
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  if (line_.starts_with(kByteOrderMark)) line_.erase(0, kByteOrderMark.size());
  if (trimmed(line_).empty()) throw InputError(fmt::format("{}: line 1 is empty; it should name {}", path_, named));
  split_line();
  names_.assign(cells_.begin(), cells_.end());
}

bool CsvReader::next() {
  std::size_t blank_line = 0;
  while (next_line()) {
    if (line_.empty()) {
      if (blank_line == 0) blank_line = line_number_;
      continue;
    }
    if (blank_line != 0)
      throw InputError(fmt::format("{}: line {} is empty, but rows go on after it", path_, blank_line));
    split_line();
    if (cells_.size() != names_.size()) {
      throw InputError(
          fmt::format("{}: line {} has {} columns, the header {}", path_, line_number_, cells_.size(), names_.size()));
    }
    ++rows_;
    return true;
  }
  if (rows_ == 0) throw InputError(fmt::format("{}: has no rows after the header", path_));
  return false;
}

void CsvReader::split_line() {
  if (split_cells(line_, cells_)) return;
  throw InputError(
      fmt::format("{}: line {}: the quotes of cell {} should open and close it", path_, line_number_, cells_.size()));
}

/// Without the blanks at its end, such as the carriage return that Windows puts there.
bool CsvReader::next_line() {
  if (!std::getline(text_, line_)) {
    if (text_.bad()) throw InputError(fmt::format("{}: reading it failed", path_));
    return false;
  }
  ++line_number_;
  line_.erase(line_.find_last_not_of(" \t\r") + 1);
  // Such bytes mean another encoding, another kind of file, or carriage returns for line ends. They must not get into
  // names and messages.
  const auto control = std::find_if(line_.begin(), line_.end(), [](char c) {
    return (static_cast<unsigned char>(c) < ' ' && c != '\t') || c == '\x7F';
  });
  if (control != line_.end()) {
    throw InputError(fmt::format("{}: line {}: byte {} is the control character 0x{:02x}, this is not a CSV file",
                                 path_, line_number_, control - line_.begin() + 1,
                                 static_cast<unsigned char>(*control)));
  }
  return true;
}

double CsvReader::number(std::size_t column) const {
  const auto value = parse_number(cells_[column]);
  if (!value || !std::isfinite(*value))
    throw InputError(fmt::format("{}: '{}' is not a finite number", where(column), cells_[column]));
  return *value;
}

std::string CsvReader::where(std::size_t column) const {
  return fmt::format("{}: line {}, column {} ({})", path_, line_number_, column + 1, names_[column]);
}

}  // namespace longrun
