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

/// Arm numbers of which fewer than one in kMostArmsPerSeen appears are identifiers, not positions. Numbers below
/// kFewArms are exempt, because a short history may skip many of them.
constexpr std::size_t kFewArms = 20;
constexpr std::size_t kMostArmsPerSeen = 10;

std::size_t column_named(const CsvReader& csv, const std::string& path, std::string_view name) {
  const auto& names = csv.names();
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end())
    throw InputError(fmt::format("{}: line 1 names no column '{}'; the header should read arm,reward", path, name));
  if (std::find(found + 1, names.end(), name) != names.end())
    throw InputError(fmt::format("{}: line 1 has duplicate columns '{}'", path, name));
  return static_cast<std::size_t>(found - names.begin());
}

/// The column `arm` of a history: converts its cells to arms, and collects the number and the names of the arms.
class ArmColumn {
 public:
  explicit ArmColumn(const ArmsGiven& given)
      : most_(given.count.value_or(kMostArms)),
        names_given_(!given.names.empty()),
        count_given_(given.count.has_value()),
        named_(names_given_),
        decided_(names_given_),
        names_(given.names) {
    if (!names_given_) names_.resize(static_cast<std::size_t>(given.count.value_or(0)));
    for (std::size_t arm = 0; arm < given.names.size(); ++arm) arms_[given.names[arm]] = static_cast<Arm>(arm);
  }

  Arm arm(std::string_view cell) {
    if (cell.empty()) throw InputError("the arm is missing");
    const auto number = parse_number<Arm>(cell);
    if (!decided_) named_ = !number;
    decided_ = true;
    return named_ ? by_name(cell) : by_number(cell, number);
  }

  /// Throws InputError if the numbers of the arms are identifiers.
  void check_numbers() const {
    if (named_ || count_given_ || names_.size() <= kFewArms || names_.size() <= kMostArmsPerSeen * seen_.size()) return;
    throw InputError(
        fmt::format("arm numbers go up to {}, but only {} arms appear; give the number of arms if these are "
                    "positions from 0, or the names of all arms",
                    names_.size() - 1, seen_.size()));
  }
  const std::vector<std::string>& names() const { return names_; }

 private:
  Arm by_name(std::string_view cell) {
    if (const auto known = arms_.find(cell); known != arms_.end()) return known->second;
    if (names_given_) return find_arm(names_, cell);  // by number, or an error
    const auto arm = static_cast<Arm>(arms_.size());
    if (arm >= most_) throw InputError(fmt::format("'{}' is one arm too many; the number of arms is {}", cell, most_));
    if (static_cast<std::size_t>(arm) == names_.size()) names_.emplace_back();
    names_[static_cast<std::size_t>(arm)] = cell;
    arms_.emplace(cell, arm);
    return arm;
  }
  Arm by_number(std::string_view cell, std::optional<Arm> number) {
    if (!number || *number < 0 || *number >= most_) {
      throw InputError(fmt::format("'{}' is not an arm; this file numbers arms from 0 to {}", cell, most_ - 1));
    }
    seen_.insert(*number);
    if (static_cast<std::size_t>(*number) >= names_.size()) names_.resize(static_cast<std::size_t>(*number) + 1);
    return *number;
  }

  Arm most_;                                      // the largest number of arms
  bool names_given_;                              // if true, names_ does not change
  bool count_given_;                              // if true, names_ has the given size
  bool named_;                                    // cells are names, not numbers; valid once decided_
  bool decided_;                                  // names are given, or a row has been read
  std::vector<std::string> names_;                // one per arm; empty for an arm without a name
  std::map<std::string, Arm, std::less<>> arms_;  // the arm of each name
  std::set<Arm> seen_;                            // the arms that appear, if they are numbers
};

void check_given(const ArmsGiven& given) {
  if (given.count && !given.names.empty() && *given.count != static_cast<Arm>(given.names.size())) {
    throw InputError(fmt::format("{} names are given for {} arms", given.names.size(), *given.count));
  }
  std::set<std::string, std::less<>> seen;
  for (const std::string& name : given.names) {
    if (name.empty()) throw InputError("an arm name is empty");
    if (!seen.insert(name).second) throw InputError(fmt::format("arm name '{}' is given twice", name));
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
  while (csv.next()) {
    try {
      history.pulls.push_back({.arm = arms.arm(csv.cell(arm_column)), .reward = 0});
    } catch (const InputError& error) {
      throw InputError(fmt::format("{}: {}", csv.where(arm_column), error.what()));
    }
    history.pulls.back().reward = csv.number(reward_column);
  }
  try {
    arms.check_numbers();
  } catch (const InputError& error) {
    throw InputError(fmt::format("{}: {}", path, error.what()));
  }
  history.arm_names = arms.names();
  if (history.arm_names.empty()) throw InputError(fmt::format("{}: has no rows; give the number of arms", path));
  return history;
}

History empty_history(const ArmsGiven& given) {
  check_given(given);
  if (!given.names.empty()) return {.arm_names = given.names, .pulls = {}};
  if (!given.count) throw InputError("the number of arms is unknown; give it, or the names or the history of the arms");
  return {.arm_names = std::vector<std::string>(static_cast<std::size_t>(*given.count)), .pulls = {}};
}

}  // namespace longrun
