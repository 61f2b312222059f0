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

std::string_view without_quotes(std::string_view cell) {
  const bool quoted = cell.size() >= 2 && cell.front() == '"' && cell.back() == '"';
  return quoted ? cell.substr(1, cell.size() - 2) : cell;
}

/// Into `cells`, whose memory is used again.
void split_cells(std::string_view line, std::vector<std::string_view>& cells) {
  cells.clear();
  for (std::size_t begin = 0;;) {
    const std::size_t end = line.find(',', begin);
    cells.push_back(without_quotes(trimmed(line.substr(begin, end - begin))));
    if (end == std::string_view::npos) return;
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
  std::string_view names = line_;
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  if (names.starts_with(kByteOrderMark)) names.remove_prefix(kByteOrderMark.size());
  if (trimmed(names).empty()) throw InputError(fmt::format("{}: line 1 is empty; it should name {}", path_, named));
  split_cells(names, cells_);
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
    split_cells(line_, cells_);
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
