#include "longrun/data/csv_history.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "longrun/base/input_error.h"
#include "longrun/base/nearest_name.h"
#include "longrun/base/parse_number.h"
#include "longrun/base/text.h"
#include "longrun/data/arm_column.h"
#include "longrun/data/csv.h"
#include "longrun/data/row_order.h"
#include "longrun/data/same_look.h"
#include "longrun/model/arm_labels.h"

namespace longrun {
namespace {

/// Returns the place of a column. A column whose name differs only in case is found if it is the only one.
std::optional<std::size_t> find_column(const CsvReader& csv, const std::string& name) {
  const auto& names = csv.names();
  const auto matches = [&](const auto& equal) {
    std::vector<std::size_t> places;
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (equal(names[i])) places.push_back(i);
    }
    return places;
  };
  const auto places = matches([&](const std::string& each) { return lower_case(each) == lower_case(name); });
  if (places.empty()) return std::nullopt;
  if (places.size() == 1) return places[0];
  const auto exact = matches([&](const std::string& each) { return each == name; });
  if (exact.size() == 1) return exact[0];
  throw InputError(fmt::format("{} has duplicate columns '{}'", csv.where_header(), names[places[0]]));
}

std::size_t column_named(const CsvReader& csv, const std::string& name) {
  if (const auto place = find_column(csv, name)) return *place;
  // A table of the years may have columns that are called like numbers, so one number alone does not tell.
  const bool has_usual_column = find_column(csv, "arm") || find_column(csv, "reward");
  const bool is_data =
      !has_usual_column && std::any_of(csv.names().begin(), csv.names().end(), [](const std::string& each) {
        const auto number = parse_number<double>(each);
        return number && std::isfinite(*number);
      });
  if (is_data) {
    throw InputError(fmt::format("{} has no column '{}' but a number: {}; the first line must name the columns",
                                 csv.where_header(), name, fmt::join(csv.names(), ", ")));
  }
  throw InputError(fmt::format("{} has no column '{}'; its columns are {}{}", csv.where_header(), name,
                               fmt::join(csv.names(), ", "), did_you_mean(name, csv.names())));
}

/// Returns the place of a column of rounds or times; nullopt if it is not to be checked.
std::optional<std::size_t> order_column(const CsvReader& csv, const std::optional<std::string>& name,
                                        const std::string& usual_name) {
  if (!name) return find_column(csv, usual_name);
  return name->empty() ? std::nullopt : std::optional(column_named(csv, *name));
}

RowOrder::Places order_places(const CsvReader& csv, const HistoryColumns& columns, std::size_t arm_column,
                              std::size_t reward_column) {
  RowOrder::Places places{.round = order_column(csv, columns.round, "round"),
                          .time = order_column(csv, columns.time, "time")};
  if (columns.round == "" || columns.time == "") return places;  // the caller wants no check
  for (std::size_t place = 0; place < csv.names().size(); ++place) {
    if (place != arm_column && place != reward_column) places.others.push_back(place);
  }
  return places;
}

std::optional<double> reward_in(const CsvReader& csv, std::size_t column) {
  if (csv.cell(column).empty()) return std::nullopt;
  try {
    return csv.number(column);
  } catch (const InputError& error) {
    const std::string word = lower_case(std::string(csv.cell(column)));
    constexpr std::array<std::string_view, 10> kMissing{"na",   "n/a",  "#n/a",    "<na>",    "nan",
                                                        "null", "none", "missing", "unknown", "?"};
    constexpr std::array<std::string_view, 6> kLoneDashes{"-",      "--",     "\u2212",
                                                          "\u2012", "\u2013", "\u2014"};  // zero in accounts
    const bool is_dash = std::find(kLoneDashes.begin(), kLoneDashes.end(), word) != kLoneDashes.end();
    const bool stands_for_missing = std::find(kMissing.begin(), kMissing.end(), word) != kMissing.end();
    if (!is_dash && !stands_for_missing) throw;
    throw InputError(fmt::format("{}; {}leave the cell empty if the reward is not known yet", error.what(),
                                 is_dash ? "write 0 if it means zero, or " : ""));
  }
}

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

/// Returns a warning for each label with few rows that is nearly that of an arm with many: a typo of the nearest one.
/// Labels that differ in digits are not similar.
std::vector<std::string> probable_typos(const std::string& path, const History& history) {
  constexpr std::size_t kMostLabels = 200;  // that are compared with each other
  constexpr std::size_t kShortest = 4;      // letters
  constexpr Pulls kManyTimes = 10;
  const std::vector<std::string>& names = history.arm_names;
  if (names.size() > kMostLabels) return {};
  std::map<std::string, Pulls> rows;
  for (const PastPull& pull : history.pulls) ++rows[names[static_cast<std::size_t>(pull.arm)]];
  const auto letters = [](const std::string& label) {
    std::string kept;
    for (const char c : label) kept += c >= '0' && c <= '9' ? "" : std::string(1, c);
    return kept;
  };
  std::vector<std::string> warnings;
  for (const std::string& name : names) {
    const std::string rare = letters(name);
    if (rare.size() < kShortest || rows[name] == 0) continue;
    std::vector<std::string> similar;  // labels with many rows
    for (const std::string& other : names) {
      const std::vector<std::string> common{letters(other)};
      if (rows[other] < kManyTimes * rows[name] || rare == common[0] || nearest_name(rare, common).empty()) continue;
      similar.push_back(other);
    }
    if (similar.empty()) continue;
    std::string meant = nearest_name(name, similar);
    if (meant.empty()) meant = similar[0];  // the letters are similar, the digits are not
    warnings.push_back(fmt::format("{}: arm '{}' ({} {}) may be a typo of '{}' ({} rows); they count as two arms", path,
                                   name, rows[name], rows[name] == 1 ? "row" : "rows", meant, rows[meant]));
  }
  return warnings;
}

/// Rows that may be duplicates.
class DuplicateRows {
 public:
  explicit DuplicateRows(const std::vector<PastPull>& pulls) : pulls_(pulls) {
    std::map<std::pair<Arm, std::optional<double>>, double> rows;
    std::map<Arm, double> of_arm;
    for (const PastPull& pull : pulls) {
      rows[{pull.arm, pull.reward}] += 1;
      of_arm[pull.arm] += 1;
    }
    surprise_.push_back(0);
    for (const PastPull& pull : pulls) {
      surprise_.push_back(surprise_.back() + std::log2(of_arm[pull.arm] / rows[{pull.arm, pull.reward}]));
    }
  }

  /// Returns a warning if the last rows repeat those before them: the same file, or a part of it, twice.
  std::vector<std::string> repeated_block(const std::string& path) const {
    const std::size_t last = longest_repeated();
    if (last == 0) return {};
    const std::size_t begin = pulls_.size() - last;
    return {
        fmt::format("{}: from line {} on, the rows repeat those from line {} on exactly; every row counts as a pull",
                    path, pulls_[begin].line, pulls_[begin - last].line)};
  }

  /// Returns a warning if every row occurs twice, one after the other.
  std::vector<std::string> doubled_rows(const std::string& path) const {
    if (pulls_.size() % 2 == 1 || !is_surprising(0, pulls_.size())) return {};
    for (std::size_t i = 0; i < pulls_.size(); i += 2) {
      if (!same(i, i + 1)) return {};
    }
    return {fmt::format("{}: every row occurs twice, the first in lines {} and {}; every row counts as a pull", path,
                        pulls_[0].line, pulls_[1].line)};
  }

 private:
  static constexpr std::size_t kFewest = 20;     // rows; fewer can be equal by chance
  static constexpr double kSurprising = 40;      // bits, for one half: a chance of 1 in 10^12
  static constexpr double kSurprisingHalf = 20;  // bits, if it is the whole file: only one length is tried

  bool same(std::size_t i, std::size_t j) const {
    return pulls_[i].arm == pulls_[j].arm && pulls_[i].reward == pulls_[j].reward;
  }
  /// Returns whether the rewards of these rows, which are two equal halves, are hardly so by chance. Rewards that most
  /// rows of their arm have say little.
  bool is_surprising(std::size_t begin, std::size_t end) const {
    const double least = begin == 0 && end == pulls_.size() ? kSurprisingHalf : kSurprising;
    return end - begin >= 2 * kFewest && (surprise_[end] - surprise_[begin]) / 2 >= least;
  }
  /// Returns the largest number of last rows that are equal to as many before them, or 0.
  std::size_t longest_repeated() const {
    // equal[m] is the number of last rows that are equal to those m rows before them (the Z-function from the end).
    const std::size_t rows = pulls_.size();
    std::vector<std::size_t> equal(rows + 1);
    std::size_t longest = 0;
    std::size_t shorter = 0;  // most last rows that are equal to those fewer rows before them
    std::size_t left = 0;
    std::size_t right = 0;
    for (std::size_t m = 1; m < rows; ++m) {
      std::size_t length = m < right ? std::min(right - m, equal[m - left]) : 0;
      while (m + length < rows && same(rows - 1 - length, rows - 1 - m - length)) ++length;
      equal[m] = length;
      if (m + length > right) {
        left = m;
        right = m + length;
      }
      // Rows that repeat with a shorter period follow a pattern.
      if (length >= m && shorter < m && 2 * m <= rows && is_surprising(rows - 2 * m, rows)) longest = m;
      shorter = std::max(shorter, length);
    }
    return longest;
  }

  const std::vector<PastPull>& pulls_;
  std::vector<double> surprise_;  // [i]: bits of the first i rows, each that of its reward among those of its arm
};

/// Returns a warning for each pair of labels that look the same, or differ only in case.
std::vector<std::string> similar_labels(const std::string& path, const std::vector<std::string>& labels) {
  constexpr std::size_t kMostPairs = 10;
  std::vector<std::string> warnings;
  std::map<std::string, std::string> seen;  // by their look
  std::size_t pairs = 0;
  for (const std::string& label : labels) {
    const auto [other, is_new] = seen.emplace(same_look(label), label);
    if (is_new || ++pairs > kMostPairs) continue;
    const bool is_case = lower_case(other->second) == lower_case(label);
    warnings.push_back(fmt::format("{}: arms '{}' and '{}' {}; they count as two arms", path, other->second, label,
                                   is_case
                                       ? "differ only in upper and lower case"
                                       : "look the same, but differ in blanks, invisible characters or the encoding "
                                         "of accents"));
  }
  if (pairs > kMostPairs)
    warnings.push_back(
        fmt::format("{}: {} more arms look like others, or differ only in case", path, pairs - kMostPairs));
  return warnings;
}

/// Returns a warning if nearly every row has an arm of its own.
std::vector<std::string> many_arms(const std::string& path, const History& history) {
  constexpr std::size_t kFewestRows = 20;
  constexpr double kNearlyAll = 0.9;  // arms per row
  const std::size_t rows = history.pulls.size();
  if (rows < kFewestRows || static_cast<double>(history.arm_names.size()) < kNearlyAll * static_cast<double>(rows))
    return {};
  return {fmt::format("{}: {} rows have {} different arms; is another column that of the arms?", path, rows,
                      history.arm_names.size())};
}

}  // namespace

History read_csv_history(const std::string& path, std::istream& text, const ArmsGiven& given,
                         const HistoryColumns& columns) {
  check_given(given);
  CsvReader csv(path, text, fmt::format("the columns {} and {}", columns.arm, columns.reward));
  const std::size_t arm_column = column_named(csv, columns.arm);
  const std::size_t reward_column = column_named(csv, columns.reward);
  if (arm_column == reward_column) {
    throw InputError(fmt::format("{}: column '{}' cannot have both arms and rewards", path, columns.arm));
  }
  RowOrder order(csv, order_places(csv, columns, arm_column, reward_column));
  ArmColumn arms(given);
  History history;
  while (csv.next()) {
    try {
      if (!is_utf8(csv.cell(arm_column))) throw InputError("the arm is not encoded in UTF-8; save the file as UTF-8");
      history.pulls.push_back({.arm = arms.arm(csv.cell(arm_column)), .line = static_cast<std::int64_t>(csv.line())});
    } catch (const InputError& error) {
      throw InputError(fmt::format("{}: {}", csv.where(arm_column), error.what()));
    }
    history.pulls.back().reward = reward_in(csv, reward_column);
    order.read(csv, history.pulls.back().arm);
  }
  try {
    history.arm_names = arms.finish(history.pulls);
  } catch (const ArmCountError& error) {
    throw ArmCountError(fmt::format("{}: {}", path, error.what()));
  } catch (const InputError& error) {
    throw InputError(fmt::format("{}: {}", path, error.what()));
  }
  if (history.arm_names.empty()) {
    throw NoRowsError(path);
  }
  history.rounds = order.rounds();
  history.order_confirmed = order.is_confirmed();
  history.warnings = order.warnings(path);
  const DuplicateRows duplicates(history.pulls);
  for (std::string& warning : duplicates.repeated_block(path)) history.warnings.push_back(std::move(warning));
  for (std::string& warning : duplicates.doubled_rows(path)) history.warnings.push_back(std::move(warning));
  const auto is_first_arm = [](const PastPull& pull) { return pull.arm == 0; };
  const bool invented = given.positions && !given.count && given.names.empty() && !history.pulls.empty() &&
                        std::none_of(history.pulls.begin(), history.pulls.end(), is_first_arm);
  if (invented) {
    history.warnings.push_back(fmt::format(
        "{}: positions count from 0, but no row has arm 0; it counts as an arm without pulls. If the cells are labels "
        "of the arms, read them as labels",
        path));
  }
  if (given.names.empty()) {
    if (csv.names().size() > 2) {  // another column could be that of the arms
      for (std::string& warning : many_arms(path, history)) history.warnings.push_back(std::move(warning));
    }
    for (std::string& warning : similar_labels(path, history.arm_names)) history.warnings.push_back(std::move(warning));
    for (std::string& warning : probable_typos(path, history)) history.warnings.push_back(std::move(warning));
  }
  return history;
}

History empty_history(const ArmsGiven& given) {
  check_given(given);
  if (!given.names.empty()) return {.arm_names = given.names, .pulls = {}};
  if (!given.count) throw InputError("the number of arms is unknown; give it, or the names or the history of the arms");
  return {.arm_names = position_labels(*given.count), .pulls = {}};
}

}  // namespace longrun
