#include "longrun/data/csv_curves.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <optional>
#include <utility>

#include "longrun/base/input_error.h"
#include "longrun/base/parse_number.h"
#include "longrun/data/csv.h"

namespace longrun {
namespace {

struct Columns {
  std::string where_header;  // as CsvReader says, for errors
  std::vector<std::string> names;
  std::vector<std::vector<double>> values;  // one per column
};

void check_arm_names(const CsvReader& csv) {
  const std::vector<std::string>& names = csv.names();
  bool all_rewards = true;  // every name is a number in [0, 1]
  bool any_fraction = false;
  for (auto name = names.begin(); name != names.end(); ++name) {
    const auto column = name - names.begin() + 1;
    if (name->empty()) throw InputError(fmt::format("{}, column {}: an arm has no name", csv.where_header(), column));
    if (std::find(names.begin(), name, *name) != name) {
      throw InputError(fmt::format("{}, column {}: duplicate name '{}'", csv.where_header(), column, *name));
    }
    const auto number = parse_number(*name);
    all_rewards = all_rewards && number && *number >= 0 && *number <= 1;
    any_fraction = any_fraction || name->find('.') != std::string::npos;
  }
  if (all_rewards && any_fraction) {
    throw InputError(
        fmt::format("{}: '{}' looks like rewards; it should name the arms", csv.where_header(), fmt::join(names, ",")));
  }
}

/// Reads all rows. `check(csv, column, value)` throws if it rejects a value.
template <class Check>
Columns read_columns(const std::string& path, std::istream& text, Check check) {
  CsvReader csv(path, text, "the arms");
  check_arm_names(csv);
  Columns columns{.where_header = csv.where_header(),
                  .names = csv.names(),
                  .values = std::vector<std::vector<double>>(csv.names().size())};
  while (csv.next()) {
    for (std::size_t column = 0; column < columns.values.size(); ++column) {
      const double value = csv.number(column);
      check(csv, column, value);
      columns.values[column].push_back(value);
    }
  }
  csv.check_has_rows();
  return columns;
}

/// Puts the columns in the order of the arms if every column has the name of an arm. Throws if only some have one and
/// the column of one of them is not that of its arm: its noise would go to the wrong arm.
void order_by_arm(Columns& columns, const Bandit& bandit) {
  std::vector<std::vector<double>> ordered(columns.values.size());
  std::size_t named = 0;
  std::optional<std::size_t> moved;
  for (std::size_t column = 0; column < columns.names.size(); ++column) {
    const auto arm = std::find(bandit.arm_names.begin(), bandit.arm_names.end(), columns.names[column]);
    if (arm == bandit.arm_names.end()) continue;
    const auto place = static_cast<std::size_t>(arm - bandit.arm_names.begin());
    if (place != column) moved = column;
    ordered[place] = columns.values[column];
    ++named;
  }
  if (!moved) return;
  if (named < columns.names.size()) {
    throw InputError(fmt::format("{}, column {}: '{}' is the name of another arm; name all columns after arms, or none",
                                 columns.where_header, *moved + 1, columns.names[*moved]));
  }
  columns.values = std::move(ordered);
}

}  // namespace

Bandit read_csv_curves(const std::string& path) {
  std::ifstream file = open_text(path);
  return read_csv_curves(path, file);
}

Bandit read_csv_curves(const std::string& path, std::istream& text) {
  const auto in_range = [](const CsvReader& csv, std::size_t column, double value) {
    if (value >= 0 && value <= 1) return;
    throw InputError(fmt::format("{}: reward {} is outside [0, 1]", csv.where(column), csv.cell(column)));
  };
  Columns columns = read_columns(path, text, in_range);
  Bandit bandit{.name = path,
                .arm_names = columns.names,
                .arms = {},
                .recorded_noise = nullptr,
                .horizon = static_cast<Pulls>(columns.values[0].size())};
  for (std::vector<double>& rewards : columns.values) bandit.arms.push_back(Curve::from_rewards(std::move(rewards)));
  return bandit;
}

RecordedNoise read_csv_noise(const std::string& path, const Bandit& bandit) {
  std::ifstream file = open_text(path);
  return read_csv_noise(path, file, bandit);
}

RecordedNoise read_csv_noise(const std::string& path, std::istream& text, const Bandit& bandit) {
  Columns columns = read_columns(path, text, [](auto&&...) {});
  if (columns.names.size() != bandit.arms.size()) {
    throw InputError(fmt::format("{} has {} columns, but bandit '{}' has {} arms", columns.where_header,
                                 columns.names.size(), bandit.name, bandit.arms.size()));
  }
  const auto rows = static_cast<Pulls>(columns.values.front().size());
  if (rows < bandit.horizon) {
    throw InputError(fmt::format("{}: has {} rows, too few for horizon {}", path, rows, bandit.horizon));
  }
  order_by_arm(columns, bandit);
  return std::move(columns.values);
}

Uniform bounding_noise(const RecordedNoise& noise) {
  Uniform result{.bound = 0};
  for (const auto& column : noise) {
    for (const double value : column) result.bound = std::max(result.bound, std::abs(value));
  }
  return result;
}

}  // namespace longrun
