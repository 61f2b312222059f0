#include "longrun/data/csv_history.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <set>

#include "longrun/base/input_error.h"
#include "longrun/base/parse_number.h"
#include "longrun/data/csv.h"

namespace longrun {
namespace {

std::size_t column_named(const CsvReader& csv, const std::string& path, std::string_view name) {
  const auto found = std::find(csv.names().begin(), csv.names().end(), name);
  if (found != csv.names().end()) return static_cast<std::size_t>(found - csv.names().begin());
  throw InputError(fmt::format("{}: line 1 names no column '{}'; the header should read arm,reward", path, name));
}

/// Turns the cells of the column `arm` into arms, while it learns how many there are and what they are called.
class ArmColumn {
 public:
  explicit ArmColumn(const ArmsGiven& given)
      : most_(given.count.value_or(kMostArms)),
        fixed_(!given.names.empty()),
        named_(fixed_),
        decided_(fixed_),
        names_(given.names) {
    if (!fixed_) names_.resize(static_cast<std::size_t>(given.count.value_or(0)));
    for (std::size_t arm = 0; arm < given.names.size(); ++arm) arms_[given.names[arm]] = static_cast<Arm>(arm);
  }

  Arm arm(std::string_view cell) {
    if (cell.empty()) throw InputError("an arm has neither name nor number");
    const auto number = parse_number<Arm>(cell);
    if (!decided_) named_ = !number;
    decided_ = true;
    return named_ ? by_name(cell) : by_number(cell, number);
  }
  const std::vector<std::string>& names() const { return names_; }

 private:
  Arm by_name(std::string_view cell) {
    if (const auto known = arms_.find(cell); known != arms_.end()) return known->second;
    if (fixed_) return find_arm(names_, cell);  // by number, or an error
    const auto arm = static_cast<Arm>(arms_.size());
    if (arm >= most_) throw InputError(fmt::format("'{}' is one arm more than the {} there are", cell, most_));
    if (static_cast<std::size_t>(arm) == names_.size()) names_.emplace_back();
    names_[static_cast<std::size_t>(arm)] = cell;
    arms_.emplace(cell, arm);
    return arm;
  }
  Arm by_number(std::string_view cell, std::optional<Arm> number) {
    if (!number || *number < 0 || *number >= most_) {
      throw InputError(fmt::format("'{}' is no arm; in this file they are numbers from 0 to {}", cell, most_ - 1));
    }
    if (static_cast<std::size_t>(*number) >= names_.size()) names_.resize(static_cast<std::size_t>(*number) + 1);
    return *number;
  }

  Arm most_;
  bool fixed_;    // no names beside those given
  bool named_;    // else numbered
  bool decided_;  // which of them
  std::vector<std::string> names_;
  std::map<std::string, Arm, std::less<>> arms_;
};

void check_given(const ArmsGiven& given) {
  if (given.count && !given.names.empty() && *given.count != static_cast<Arm>(given.names.size())) {
    throw InputError(fmt::format("--names gives {} names, --arms {} arms", given.names.size(), *given.count));
  }
  std::set<std::string, std::less<>> seen;
  for (const std::string& name : given.names) {
    if (name.empty()) throw InputError("the name of an arm is empty");
    if (!seen.insert(name).second) throw InputError(fmt::format("the name '{}' stands there twice", name));
  }
}

}  // namespace

History read_csv_history(const std::string& path, std::istream& text, const ArmsGiven& given) {
  check_given(given);
  CsvReader csv(path, text, "the columns arm and reward");
  const std::size_t arm_column = column_named(csv, path, "arm");
  const std::size_t reward_column = column_named(csv, path, "reward");
  ArmColumn arms(given);
  History history;
  const bool has_rows = text.peek() != std::istream::traits_type::eof();  // a header alone is where everybody begins
  while (has_rows && csv.next()) {
    try {
      history.pulls.push_back({.arm = arms.arm(csv.cell(arm_column)), .reward = 0});
    } catch (const InputError& error) {
      throw InputError(fmt::format("{}: {}", csv.where(arm_column), error.what()));
    }
    history.pulls.back().reward = csv.number(reward_column);
  }
  history.arm_names = arms.names();
  if (history.arm_names.empty()) throw InputError(fmt::format("{}: has no rows, so how many arms are there?", path));
  return history;
}

History empty_history(const ArmsGiven& given) {
  check_given(given);
  if (!given.names.empty()) return {.arm_names = given.names, .pulls = {}};
  if (!given.count) throw InputError("how many arms are there? give their number, their names or their history");
  return {.arm_names = std::vector<std::string>(static_cast<std::size_t>(*given.count)), .pulls = {}};
}

}  // namespace longrun
