#include "longrun/data/csv_curves.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string_view>
#include <system_error>
#include <utility>

#include "longrun/base/input_error.h"
#include "longrun/base/parse_number.h"

namespace longrun {
namespace {

struct Columns {
  std::vector<std::string> names;
  std::vector<std::vector<double>> values;  // one per column
};

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlank = " \t\r";
  const std::size_t first = text.find_first_not_of(kBlank);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlank) - first + 1);
}

std::vector<std::string_view> split_cells(std::string_view line) {
  std::vector<std::string_view> cells;
  for (std::size_t begin = 0;;) {
    const std::size_t end = line.find(',', begin);
    cells.push_back(trimmed(line.substr(begin, end - begin)));
    if (end == std::string_view::npos) return cells;
    begin = end + 1;
  }
}

std::vector<std::string> header_names(const std::string& path, std::string_view line) {
  std::vector<std::string> names;
  bool all_fractions = true;
  for (std::string_view cell : split_cells(line)) {
    if (cell.size() >= 2 && cell.front() == '"' && cell.back() == '"') cell = cell.substr(1, cell.size() - 2);
    if (cell.empty())
      throw InputError(fmt::format("{}: line 1, column {}: an arm has no name", path, names.size() + 1));
    if (std::find(names.begin(), names.end(), cell) != names.end()) {
      throw InputError(
          fmt::format("{}: line 1, column {}: the name '{}' stands there twice", path, names.size() + 1, cell));
    }
    const auto number = parse_number(cell);
    all_fractions = all_fractions && number && *number != std::floor(*number);
    names.emplace_back(cell);
  }
  if (all_fractions)
    throw InputError(fmt::format("{}: line 1: '{}' looks like rewards; it should name the arms", path, line));
  return names;
}

/// Reads all rows, giving every value to `check(line, column, name, text, value)`, which throws what it does not like.
template <class Check>
Columns read_columns(const std::string& path, Check check) {
  std::error_code failure;
  if (!std::filesystem::exists(path, failure)) throw InputError(fmt::format("{}: no such file", path));
  if (std::filesystem::is_directory(path, failure))
    throw InputError(fmt::format("{}: is a folder, not a CSV file", path));
  std::ifstream file(path, std::ios::binary);
  if (!file) throw InputError(fmt::format("{}: cannot be read", path));

  std::string line;
  if (!std::getline(file, line))
    throw InputError(fmt::format("{}: is empty; it should start with the names of the arms", path));
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  if (line.starts_with(kByteOrderMark)) line.erase(0, kByteOrderMark.size());
  if (trimmed(line).empty()) throw InputError(fmt::format("{}: line 1 is empty; it should name the arms", path));

  Columns columns;
  columns.names = header_names(path, trimmed(line));
  columns.values.resize(columns.names.size());
  std::size_t blank_line = 0;
  for (std::size_t number = 2; std::getline(file, line); ++number) {
    if (trimmed(line).empty()) {  // blank lines are fine at the end only
      if (blank_line == 0) blank_line = number;
      continue;
    }
    if (blank_line != 0)
      throw InputError(fmt::format("{}: line {} is empty, but rows go on after it", path, blank_line));
    const std::vector<std::string_view> cells = split_cells(line);
    if (cells.size() != columns.names.size()) {
      throw InputError(
          fmt::format("{}: line {} has {} columns, the header {}", path, number, cells.size(), columns.names.size()));
    }
    for (std::size_t column = 0; column < cells.size(); ++column) {
      const auto value = parse_number(cells[column]);
      if (!value || !std::isfinite(*value)) {
        throw InputError(fmt::format("{}: line {}, column {} ({}): '{}' is not a finite number", path, number,
                                     column + 1, columns.names[column], cells[column]));
      }
      check(number, column, columns.names[column], cells[column], *value);
      columns.values[column].push_back(*value);
    }
  }
  if (file.bad()) throw InputError(fmt::format("{}: reading it failed", path));
  if (columns.values[0].empty()) throw InputError(fmt::format("{}: has no rows after the header", path));
  return columns;
}

}  // namespace

Bandit read_csv_curves(const std::string& path) {
  const auto in_range = [&](std::size_t line, std::size_t column, const std::string& name, std::string_view text,
                            double value) {
    if (value >= 0 && value <= 1) return;
    throw InputError(
        fmt::format("{}: line {}, column {} ({}): reward {} is outside [0, 1]", path, line, column + 1, name, text));
  };
  Columns columns = read_columns(path, in_range);
  Bandit bandit{.name = path,
                .arm_names = columns.names,
                .arms = {},
                .recorded_noise = nullptr,
                .horizon = static_cast<Pulls>(columns.values[0].size())};
  for (std::vector<double>& rewards : columns.values) bandit.arms.push_back(Curve::from_rewards(std::move(rewards)));
  return bandit;
}

RecordedNoise read_csv_noise(const std::string& path, const Bandit& bandit) {
  Columns columns = read_columns(path, [](auto&&...) {});
  if (columns.names.size() != bandit.arms.size()) {
    throw InputError(fmt::format("{}: line 1 has {} columns, but bandit '{}' has {} arms", path, columns.names.size(),
                                 bandit.name, bandit.arms.size()));
  }
  return std::move(columns.values);
}

}  // namespace longrun
