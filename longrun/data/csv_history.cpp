#include "longrun/data/csv_history.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
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
#include "longrun/data/missing_labels.h"
#include "longrun/data/repeated_arm_rows.h"
#include "longrun/data/repeated_ids.h"
#include "longrun/data/repeated_rows.h"
#include "longrun/data/row_order.h"
#include "longrun/data/similar_labels.h"
#include "longrun/data/sorted_arms.h"
#include "longrun/data/sorted_rewards.h"
#include "longrun/data/totals_row.h"
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
  if (!std::all_of(csv.names().begin(), csv.names().end(), is_utf8)) {
    throw MissingColumnError(fmt::format("{} has no column '{}', and is not encoded in UTF-8; save the file as UTF-8",
                                         csv.where_header(), name),
                             name);
  }
  const bool is_one = csv.names().size() == 1;
  constexpr const char* kOne = "; it must name all columns, with commas, semicolons, tabs or | between them";
  throw MissingColumnError(fmt::format("{} has no column '{}'; its {} {}{}{}", csv.where_header(), name,
                                       is_one ? "only column is" : "columns are", fmt::join(csv.names(), ", "),
                                       did_you_mean(name, csv.names()), is_one ? kOne : ""),
                           name);
}

/// Returns the place of a column of rounds or times; nullopt if it is not to be checked.
std::optional<std::size_t> order_column(const CsvReader& csv, const std::optional<std::string>& name,
                                        const std::string& usual_name) {
  if (!name) return find_column(csv, usual_name);
  return name->empty() ? std::nullopt : std::optional(column_named(csv, *name));
}

RowOrder::Places order_places(const CsvReader& csv, const HistoryColumns& columns,
                              const std::vector<std::size_t>& others) {
  RowOrder::Places places{.round = order_column(csv, columns.round, "round"),
                          .time = order_column(csv, columns.time, "time")};
  if (columns.round == "" || columns.time == "") return places;  // the caller wants no check
  places.others = others;
  return places;
}

/// Returns the place of the column in which a study writes the outcomes of its pulls; nullopt without one.
std::optional<std::size_t> outcome_column(const CsvReader& csv, std::size_t reward_column) {
  const auto& names = csv.names();
  const auto found = std::find(names.begin(), names.end(), "outcome");
  const auto place = static_cast<std::size_t>(found - names.begin());
  return found == names.end() || place == reward_column ? std::nullopt : std::optional(place);
}

/// The words of a study for outcomes without a reward. Upper and lower case may differ.
constexpr std::string_view kLostOutcome = "lost";
constexpr std::string_view kVoidOutcome = "void";

/// Returns the outcome of the current row in lower case; an empty text if the file has no column of outcomes.
std::string outcome_of(const CsvReader& csv, std::optional<std::size_t> outcome_column) {
  return outcome_column ? lower_case(std::string(csv.cell(*outcome_column))) : std::string();
}

/// Throws InputError if the current row is of a pull that was not made: a study lists these too, without a reward.
void check_was_made(const CsvReader& csv, std::size_t outcome_column) {
  if (outcome_of(csv, outcome_column) != kVoidOutcome) return;
  throw InputError(fmt::format("{}: '{}' is the outcome of a pull that was not made; leave out the rows with it",
                               csv.where(outcome_column), csv.cell(outcome_column)));
}

/// Reads the reward of a pull. The outcome of a pull whose reward will never be known is "lost", as in a study: in the
/// cell of the reward, or in that of the outcome beside an empty one. A number beside it is an error.
void read_reward(const CsvReader& csv, std::size_t column, std::optional<std::size_t> outcome_column, PastPull& pull) {
  const bool is_lost_outcome = outcome_of(csv, outcome_column) == kLostOutcome;
  pull.reward = std::nullopt;
  pull.lost = csv.cell(column).empty() && is_lost_outcome;
  if (csv.cell(column).empty()) return;
  try {
    pull.reward = csv.number(column);
  } catch (const InputError& error) {
    const std::string word = lower_case(std::string(csv.cell(column)));
    pull.lost = word == kLostOutcome;
    if (pull.lost) return;
    constexpr std::array<std::string_view, 24> kMissing{
        "na",          "n/a",     "n.a.",       "<na>",    "nan",  "null",       "none",      "nil",
        "missing",     "unknown", "?",          "pending", "open", "waiting",    "tbd",       "tba",
        "in progress", "not yet", "ausstehend", "offen",   "k.a.", "en attente", "pendiente", "fehlt"};
    constexpr std::array<std::string_view, 5> kLost{"no reply", "no response", "verloren", "perdu", "perdido"};
    constexpr std::array<std::string_view, 6> kLoneDashes{"-",      "--",     "\u2212",
                                                          "\u2012", "\u2013", "\u2014"};  // zero in accounts
    const auto is_one_of = [&](const auto& words) {
      return std::find(words.begin(), words.end(), word) != words.end();
    };
    constexpr std::array<std::string_view, 3> kNotAvailable{"#n/a", "#nv", "#n/d"};
    const bool is_error_of_excel =
        word.starts_with('#') && (word.ends_with('!') || word.ends_with('?') || is_one_of(kNotAvailable));
    const bool is_dash = is_one_of(kLoneDashes);
    const bool is_lost = is_one_of(kLost);
    if (!is_dash && !is_lost && !is_one_of(kMissing) && !is_error_of_excel) throw;
    throw InputError(fmt::format("{}; {}leave the cell empty if the reward is not known yet{}", error.what(),
                                 is_dash ? "write 0 if it means zero, or " : "",
                                 is_lost ? ", or write lost if it will never be known" : ""));
  }
  if (!is_lost_outcome) return;
  throw InputError(fmt::format(
      "{}: reward '{}' contradicts the outcome '{}'; leave the cell empty, or rename the column '{}' if it does not "
      "have the outcomes of a study",
      csv.where(column), csv.cell(column), csv.cell(*outcome_column), csv.names()[*outcome_column]));
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

/// Throws InputError for a row that is not one of a pull: one without cells, or the header once more, where files were
/// joined.
void check_is_pull(const CsvReader& csv, std::size_t arm_column, std::size_t reward_column) {
  const auto& names = csv.names();
  if (names[arm_column] == csv.cell(arm_column) && names[reward_column] == csv.cell(reward_column))
    throw csv.error(arm_column, "the line is the header once more; remove it");
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (!csv.cell(i).empty()) return;
  }
  throw csv.error(arm_column, "all cells of the line are empty; remove it");
}

/// Returns the places of the columns that have neither arms nor rewards.
std::vector<std::size_t> other_columns(const CsvReader& csv, std::size_t arm_column, std::size_t reward_column) {
  std::vector<std::size_t> others;
  for (std::size_t place = 0; place < csv.names().size(); ++place) {
    if (place != arm_column && place != reward_column) others.push_back(place);
  }
  return others;
}

/// Returns a hash of the cells of the current row in some columns.
std::size_t hash_of_cells(const CsvReader& csv, const std::vector<std::size_t>& columns) {
  constexpr std::size_t kBase = 0x9E3779B97F4A7C15;  // odd; a polynomial over the cells, modulo 2^64
  std::size_t hash = 0;
  for (const std::size_t column : columns) hash = hash * kBase + std::hash<std::string_view>()(csv.cell(column));
  return hash;
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

/// The points of a column of rewards, which may separate thousands: 1.102 beside 987, as in German.
class PointsInRewards {
 public:
  void read(const CsvReader& csv, std::size_t column) {
    std::string_view cell = csv.cell(column);
    if (cell.starts_with('-')) cell.remove_prefix(1);
    if (cell.empty() || !may_be_thousands_) return;
    const std::size_t digits = std::min(cell.find_first_not_of("0123456789"), cell.size());
    const std::string_view rest = cell.substr(digits);
    const bool is_short = digits >= 1 && digits <= kDigits;
    const bool is_group = rest.size() == kDigits + 1 && rest[0] == '.' && cell[0] != '0' &&
                          rest.find_first_not_of("0123456789", 1) == std::string_view::npos;
    may_be_thousands_ = is_short && (rest.empty() || is_group);
    if (rest.empty() && digits == kDigits) has_hundreds_ = true;
    if (!is_group) return;
    if (++groups_ > 1) return;
    first_ = cell;
    line_ = csv.line();
  }

  /// Returns a warning if every reward with a point has three digits after it, and the others are whole and below 1000.
  std::vector<std::string> warnings(const std::string& path, RowNames rows) const {
    constexpr std::size_t kFewest = 3;  // rewards with a point; of fewer, the digits say little
    if (!may_be_thousands_ || !has_hundreds_ || groups_ < kFewest) return {};
    std::string thousands = first_;
    thousands.erase(thousands.find('.'), 1);
    return {fmt::format(
        "{}: {}: reward {} counts as {}, with a decimal point, but may be {}: all rewards with a point have three "
        "digits after it, and the others are whole numbers below 1000; write thousands without a point",
        path, row_name(line_, rows), first_, parse_number<double>(first_).value_or(0), thousands)};
  }

 private:
  static constexpr std::size_t kDigits = 3;  // between two separators

  bool may_be_thousands_ = true;  // whether every reward can be read so
  bool has_hundreds_ = false;     // whether a reward is a whole number of three digits
  std::size_t groups_ = 0;        // rewards with a point
  std::string first_;             // the first of them, without its sign
  std::size_t line_ = 0;          // its line
};

}  // namespace

History read_csv_history(const std::string& path, std::istream& text, const ArmsGiven& given,
                         const HistoryColumns& columns, RowNames rows) {
  check_given(given);
  CsvReader csv(path, text, fmt::format("the columns {} and {}", columns.arm, columns.reward), rows);
  const std::size_t arm_column = column_named(csv, columns.arm);
  const std::size_t reward_column = column_named(csv, columns.reward);
  if (arm_column == reward_column) {
    throw InputError(fmt::format("{}: column '{}' cannot have both arms and rewards", path, columns.arm));
  }
  const std::optional<std::size_t> outcomes = outcome_column(csv, reward_column);
  const std::vector<std::size_t> other_places = other_columns(csv, arm_column, reward_column);
  RowOrder order(csv, order_places(csv, columns, other_places));
  RepeatedIds ids(csv, other_places);
  ArmColumn arms(given);
  PointsInRewards points;
  std::vector<std::size_t> others;  // [row]: hash of its other cells
  const bool has_others = !other_places.empty();
  History history;
  while (csv.next()) {
    check_is_pull(csv, arm_column, reward_column);
    try {
      if (!is_utf8(csv.cell(arm_column))) throw InputError("the arm is not encoded in UTF-8; save the file as UTF-8");
      history.pulls.push_back({.arm = arms.arm(csv.cell(arm_column)), .line = static_cast<std::int64_t>(csv.line())});
    } catch (const InputError& error) {
      throw InputError(fmt::format("{}: {}", csv.where(arm_column), error.what()));
    }
    if (outcomes) check_was_made(csv, *outcomes);
    read_reward(csv, reward_column, outcomes, history.pulls.back());
    if (history.pulls.back().reward) points.read(csv, reward_column);
    order.read(csv, history.pulls.back().arm);
    ids.read(csv);
    if (has_others) others.push_back(hash_of_cells(csv, other_places));
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
  order.finish(csv);
  history.rounds = order.rounds();
  history.order_confirmed = order.is_confirmed();
  history.warnings = order.warnings(path);
  for (std::string& warning : points.warnings(path, rows)) history.warnings.push_back(std::move(warning));
  std::vector<std::string> repeated = repeated_row_warnings(path, history.pulls, others, rows);
  if (repeated.empty()) repeated = repeated_arm_row_warnings(path, history, rows);
  if (repeated.empty()) repeated = ids.warnings(path, history.pulls, rows);
  for (std::string& warning : repeated) history.warnings.push_back(std::move(warning));
  const bool wants_no_check = columns.round == "" || columns.time == "";
  if (!wants_no_check && !history.order_confirmed) {
    std::vector<std::string> sorted = sorted_reward_warnings(path, history.pulls, rows);
    if (sorted.empty()) sorted = sorted_arm_warnings(path, history, rows);
    for (std::string& warning : sorted) history.warnings.push_back(std::move(warning));
  }
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
    if (has_others) {  // another column could be that of the arms
      for (std::string& warning : many_arms(path, history)) history.warnings.push_back(std::move(warning));
    }
    for (std::string& warning : similar_label_warnings(path, history)) history.warnings.push_back(std::move(warning));
    for (std::string& warning : missing_label_warnings(path, history)) history.warnings.push_back(std::move(warning));
    for (std::string& warning : totals_row_warnings(path, history, rows))
      history.warnings.push_back(std::move(warning));
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
