#include "longrun/data/csv_curves.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <utility>

#include "longrun/base/input_error.h"
#include "longrun/base/parse_number.h"
#include "longrun/data/csv.h"

namespace longrun {
namespace {

struct Columns {
  std::vector<std::string> names;
  std::vector<std::vector<double>> values;  // one per column
};

void check_arm_names(const std::string& path, const std::vector<std::string>& names) {
  bool all_rewards = true;  // numbers as rewards are, not names such as 1, 2, 3
  bool any_fraction = false;
  for (auto name = names.begin(); name != names.end(); ++name) {
    const auto column = name - names.begin() + 1;
    if (name->empty()) throw InputError(fmt::format("{}: line 1, column {}: an arm has no name", path, column));
    if (std::find(names.begin(), name, *name) != name) {
      throw InputError(fmt::format("{}: line 1, column {}: the name '{}' stands there twice", path, column, *name));
    }
    const auto number = parse_number(*name);
    all_rewards = all_rewards && number && *number >= 0 && *number <= 1;
    any_fraction = any_fraction || name->find('.') != std::string::npos;
  }
  if (all_rewards && any_fraction) {
    throw InputError(
        fmt::format("{}: line 1: '{}' looks like rewards; it should name the arms", path, fmt::join(names, ",")));
  }
}

/// Reads all rows, giving every value to `check(csv, column, value)`, which throws what it does not like.
template <class Check>
Columns read_columns(const std::string& path, Check check) {
  std::ifstream file = open_text(path);
  CsvReader csv(path, file, "the arms");
  check_arm_names(path, csv.names());
  Columns columns{.names = csv.names(), .values = std::vector<std::vector<double>>(csv.names().size())};
  while (csv.next()) {
    for (std::size_t column = 0; column < columns.values.size(); ++column) {
      const double value = csv.number(column);
      check(csv, column, value);
      columns.values[column].push_back(value);
    }
  }
  return columns;
}

}  // namespace

Bandit read_csv_curves(const std::string& path) {
  const auto in_range = [](const CsvReader& csv, std::size_t column, double value) {
    if (value >= 0 && value <= 1) return;
    throw InputError(fmt::format("{}: reward {} is outside [0, 1]", csv.where(column), csv.cell(column)));
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
