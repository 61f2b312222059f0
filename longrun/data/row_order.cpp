#include "longrun/data/row_order.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <string_view>
#include <utility>

#include "longrun/base/parse_number.h"
#include "longrun/base/text.h"
#include "longrun/data/csv_history.h"
#include "longrun/data/other_date.h"
#include "longrun/data/time_stamp.h"
#include "longrun/model/arm_labels.h"

namespace longrun {

class OrderColumn {
 public:
  virtual ~OrderColumn() = default;
  explicit OrderColumn(std::size_t column) : column_(column) {}
  OrderColumn(const OrderColumn&) = delete;
  OrderColumn& operator=(const OrderColumn&) = delete;

  /// Checks the cell of the current row, and returns its value.
  long double check(const CsvReader& csv) {
    const std::string_view cell = csv.cell(column_);
    if (cell.empty()) throw RowOrderError(fmt::format("{}: the value is missing", csv.where(column_)));
    const long double value = value_of(csv, cell);
    if (line_ > 0 && value < last_) {
      throw RowOrderError(fmt::format("{}: '{}' is before '{}' of {}; rows must be in the order of their pulls",
                                      csv.where(column_), cell, last_cell_, row_name(line_, csv.row_names())));
    }
    last_ = value;
    last_cell_ = cell;
    line_ = csv.line();
    return value;
  }

 protected:
  virtual long double value_of(const CsvReader& csv, std::string_view cell) = 0;
  std::size_t column_;

 private:
  long double last_ = 0;   // value of the last row
  std::string last_cell_;  // its text
  std::size_t line_ = 0;   // its line; 0 before the first row
};

namespace {

class RoundColumn final : public OrderColumn {
 public:
  using OrderColumn::OrderColumn;

 private:
  long double value_of(const CsvReader& csv, std::string_view cell) override {
    const auto round = parse_number<Pulls>(cell);
    if (round && *round >= 0) return static_cast<long double>(*round);
    const auto time = parse_time_stamp(cell);
    const bool is_date = time && time->kind != TimeStamp::Kind::number;
    const char* dates = is_date ? "; a column of dates is one of times" : "";
    throw RowOrderError(
        fmt::format("{}: '{}' is not a round; rounds are whole numbers{}", csv.where(column_), cell, dates));
  }
};

class TimeColumn final : public OrderColumn {
 public:
  using OrderColumn::OrderColumn;

 private:
  long double value_of(const CsvReader& csv, std::string_view cell) override {
    const auto time = parse_time_stamp(cell);
    if (!time) {
      throw RowOrderError(fmt::format("{}: '{}' is not a time; times are {}", csv.where(column_), cell, kTimeForms));
    }
    if (kind_ && *kind_ != time->kind) {
      throw RowOrderError(fmt::format("{}: '{}' is {}, but the first row has {}; times must be of one kind",
                                      csv.where(column_), cell, name(time->kind), name(*kind_)));
    }
    kind_ = time->kind;
    return time->value;
  }

  std::optional<TimeStamp::Kind> kind_;  // of the first row
};

/// Returns whether the name of a column contains one of the words, between characters that are not letters.
template <std::size_t count>
bool has_word(std::string_view column, const std::array<std::string_view, count>& words) {
  const auto is_word = [&](const std::string& part) {
    return std::find(words.begin(), words.end(), part) != words.end();
  };
  std::string part;
  for (const char c : lower_case(std::string(column))) {
    if (c >= 'a' && c <= 'z') {
      part += c;
      continue;
    }
    if (is_word(part)) return true;
    part.clear();
  }
  return is_word(part);
}

constexpr std::array<std::string_view, 20> kTimeWords{
    "round",  "time",   "date", "day",       "week",     "month", "quarter", "year",    "hour",    "minute",
    "second", "period", "step", "timestamp", "datetime", "ts",    "when",    "created", "updated", "datum"};
constexpr std::array<std::string_view, 9> kCountWords{"id",  "index", "number",   "nr",  "no",
                                                      "row", "seq",   "sequence", "pull"};
constexpr std::array<std::string_view, 3> kIndexNames{"", "index", "Unnamed: 0"};  // of pandas, for an index in a file
constexpr std::size_t kManyDescents = 4;                                           // one of so many changes
constexpr std::size_t kOnlyDescents = 5;  // a number that descends so often and never ascends counts down

bool is_index_name(std::string_view column) {
  return std::find(kIndexNames.begin(), kIndexNames.end(), column) != kIndexNames.end();
}

/// Returns whether the numbers are 0, 1, ..., each once, in any order.
bool are_row_numbers(const std::vector<std::optional<Pulls>>& numbers) {
  std::vector<bool> seen(numbers.size());
  for (const std::optional<Pulls>& number : numbers) {
    if (!number || *number < 0 || *number >= static_cast<Pulls>(numbers.size())) return false;
    const auto at = static_cast<std::size_t>(*number);
    if (seen[at]) return false;
    seen[at] = true;
  }
  return true;
}

}  // namespace

/// One way to read the cells of a column as times, and whether the rows are in their order.
class TimeReading {
 public:
  /// Adds a row of `arm` whose cell is read as `time`; nullopt if it is not a time.
  void add(const std::optional<TimeStamp>& time, std::string_view cell, std::size_t line, Arm arm) {
    if (!valid_) return;
    valid_ = time && (!kind_ || *kind_ == time->kind);
    if (!valid_) return;
    kind_ = time->kind;
    least_ = line_of_first_ == 0 ? time->value : std::min(least_, time->value);
    most_ = line_of_first_ == 0 ? time->value : std::max(most_, time->value);
    if (line_of_first_ == 0) line_of_first_ = line;
    const auto at = static_cast<std::size_t>(arm);
    if (at >= last_.size()) last_.resize(at + 1);
    Row& last = last_[at];
    const bool is_first = last.line == 0;
    if (!is_first && time->value > last.value) ++ascents_;
    if (!is_first && time->value < last.value && ++descents_ == 1) {
      earlier_line_ = line;
      earlier_cell_ = cell;
      later_line_ = last.line;
    }
    last = {.value = time->value, .line = line};
  }

  /// Returns whether all cells so far are times. True if there are none.
  bool possible() const { return valid_; }
  bool valid() const { return valid_ && line_of_first_ > 0; }
  bool descends() const { return descents_ > 0; }

  bool is_contradicted(const std::string& name) const {
    if (!valid() || descents_ == 0) return false;
    if (*kind_ != TimeStamp::Kind::number) return true;
    if (has_word(name, kTimeWords)) return descents_ * kManyDescents >= ascents_ + descents_;
    const bool only_descends = ascents_ == 0 && descents_ >= kOnlyDescents;
    return only_descends && (has_word(name, kCountWords) || are_unix_times());
  }

  /// Returns whether dates say that the rows of an arm are in order.
  bool is_confirmed() const { return valid() && *kind_ != TimeStamp::Kind::number && ascents_ > 0 && descents_ == 0; }

  std::string warning(const std::string& path, const std::string& name, RowNames rows) const {
    const std::string column = name.empty() ? "the column without a name" : fmt::format("the column '{}'", name);
    return fmt::format(
        "{}: rows must be in the order of their pulls, but by {}, which is not used, {}: '{}' of {} is before {} "
        "of the same arm; sort the rows if this column tells when pulls were made",
        path, column, ascents_ == 0 ? "they are in the reverse order" : "they are not", earlier_cell_,
        row_name(earlier_line_, rows), row_name(later_line_, rows));
  }

 private:
  struct Row {
    long double value = 0;
    std::size_t line = 0;  // 0: there is none
  };

  /// Returns whether all values can be seconds, or milliseconds, since 1970, from 2000 to 2100.
  bool are_unix_times() const {
    constexpr long double kFirst = 946'684'800;
    constexpr long double kLast = 4'102'444'800;
    const auto within = [&](long double unit) { return least_ >= kFirst * unit && most_ <= kLast * unit; };
    return within(1) || within(1000);
  }

  bool valid_ = true;                    // whether every cell so far is a time, all of one kind
  std::optional<TimeStamp::Kind> kind_;  // of the first row
  std::size_t line_of_first_ = 0;        // 0 before the first row
  long double least_ = 0;                // of all values
  long double most_ = 0;                 // of all values
  std::vector<Row> last_;                // last row of each arm
  std::size_t ascents_ = 0;              // rows after the one of the same arm before them
  std::size_t descents_ = 0;             // rows before it
  std::size_t earlier_line_ = 0;         // the line of the first of descents_
  std::string earlier_cell_;             // its text
  std::size_t later_line_ = 0;           // the line of the row of the same arm before it
};

class UnnamedOrder {
 public:
  UnnamedOrder(std::size_t column, std::string name)
      : column_(column), name_(std::move(name)), is_index_(is_index_name(name_)) {}

  void read(const CsvReader& csv, Arm arm) {
    const std::string_view cell = csv.cell(column_);
    if (is_index_) index_.push_back(parse_number<Pulls>(cell));
    if (cell.empty()) return;  // says nothing about this row
    has_digits_ = has_digits_ && cell.find_first_of("0123456789") != std::string_view::npos;
    const bool is_first = !first_;
    if (is_first) first_ = cell;
    varies_ = varies_ || cell != *first_;
    const bool could_be_read = is_first || is_read();
    usual_.add(usual_time_in(cell), cell, csv.line(), arm);
    for (std::size_t i = 0; i < kDateOrders.size() && !usual_.possible(); ++i) {
      if (!is_first && !others_[i].valid()) continue;  // of a column whose first cells are usual times, too
      others_[i].add(date_in(cell, kDateOrders[i]), cell, csv.line(), arm);
    }
    if (!could_be_read || is_read()) return;
    unread_ = cell;
    unread_line_ = csv.line();
  }

  std::optional<std::string> warning(const std::string& path, RowNames rows) const {
    if (usual_.valid()) return warning_of(path, usual_, rows);
    // The rows decide what is the day: no month is above 12. If they do not, all readings may still say the same.
    const std::vector<const TimeReading*> readings = valid_readings();
    const auto contradicted = std::count_if(
        readings.begin(), readings.end(), [&](const TimeReading* reading) { return reading->is_contradicted(name_); });
    if (!readings.empty() && contradicted == 0) return std::nullopt;
    if (!readings.empty() && contradicted == std::ssize(readings)) return warning_of(path, *readings[0], rows);
    if (!has_digits_ || !varies_ || !has_word(name_, kTimeWords)) return std::nullopt;
    const std::string unchecked = fmt::format("{}: the order of rows was not checked: ", path);
    if (!readings.empty()) {
      return fmt::format(
          "{}the dates of column '{}' can be read in several ways, such as with the day or the month first, and the "
          "rows are in order by some of them only; write dates with the year first (2024-01-31)",
          unchecked, name_);
    }
    return fmt::format("{}column '{}' cannot be read as times of one form, for example '{}' of {}; write {}", unchecked,
                       name_, unread_, row_name(unread_line_, rows), kTimeForms);
  }

  bool is_confirmed() const {
    if (usual_.valid()) return usual_.is_confirmed();
    const std::vector<const TimeReading*> readings = valid_readings();
    return !readings.empty() && std::all_of(readings.begin(), readings.end(),
                                            [](const TimeReading* reading) { return reading->is_confirmed(); });
  }

 private:
  /// Returns the time that a cell states; nullopt if it is none, or a date whose digits end with the year in a column
  /// that is called like a time: such numbers do not ascend.
  std::optional<TimeStamp> usual_time_in(std::string_view cell) const {
    if (ends_with_year(cell) && has_word(name_, kTimeWords)) return std::nullopt;
    return parse_time_stamp(cell);
  }
  /// Returns the date that a cell states; nullopt if it is none, or a version as well in a column of another name.
  std::optional<TimeStamp> date_in(std::string_view cell, DateOrder order) const {
    if (may_be_a_version(cell) && !has_word(name_, kTimeWords)) return std::nullopt;
    return parse_other_date(cell, order);
  }
  std::optional<std::string> warning_of(const std::string& path, const TimeReading& reading, RowNames rows) const {
    const bool are_shuffled = is_index_ && reading.descends() && are_row_numbers(index_);
    if (!are_shuffled && !reading.is_contradicted(name_)) return std::nullopt;
    return reading.warning(path, name_, rows);
  }
  std::vector<const TimeReading*> valid_readings() const {
    std::vector<const TimeReading*> readings;
    for (const TimeReading& reading : others_) {
      if (reading.valid()) readings.push_back(&reading);
    }
    return readings;
  }
  bool is_read() const {
    return usual_.valid() ||
           std::any_of(others_.begin(), others_.end(), [](const TimeReading& reading) { return reading.valid(); });
  }

  std::size_t column_;
  std::string name_;
  bool is_index_;                                       // whether the column is called like an index of pandas
  std::vector<std::optional<Pulls>> index_;             // its cells
  TimeReading usual_;                                   // by parse_time_stamp()
  std::array<TimeReading, kDateOrders.size()> others_;  // by parse_other_date(), if the first cell is no usual time
  std::optional<std::string> first_;                    // the first cell that is not empty
  bool varies_ = false;                                 // whether any cell differs from it
  bool has_digits_ = true;                              // whether every cell that is not empty has a digit
  std::string unread_;                                  // the first cell since which there is no reading of all
  std::size_t unread_line_ = 0;                         // its line
};

RowOrder::RowOrder(const CsvReader& csv, const Places& places) : row_names_(csv.row_names()) {
  if (places.round) round_ = std::make_unique<RoundColumn>(*places.round);
  if (places.time) time_ = std::make_unique<TimeColumn>(*places.time);
  if (round_ || time_) return;
  for (const std::size_t place : places.others) others_.emplace_back(place, csv.names()[place]);
}

RowOrder::~RowOrder() = default;

void RowOrder::read(const CsvReader& csv, Arm arm) {
  if (round_) {
    const auto round = static_cast<Pulls>(round_->check(csv));
    const Pulls end = rounds_.empty() ? 0 : rounds_.back().end_pull;
    if (rounds_.empty() || rounds_.back().round != round) rounds_.push_back({round, end, end});
    ++rounds_.back().end_pull;
  }
  if (time_) time_->check(csv);
  for (UnnamedOrder& column : others_) column.read(csv, arm);
}

bool RowOrder::is_confirmed() const {
  if (round_ || time_) return true;
  return std::any_of(others_.begin(), others_.end(), [](const UnnamedOrder& column) { return column.is_confirmed(); });
}

bool may_tell_order(const std::string& column) {
  return is_index_name(column) || has_word(column, kTimeWords) || has_word(column, kCountWords);
}

std::vector<std::string> RowOrder::warnings(const std::string& path) const {
  std::vector<std::string> warnings;
  for (const UnnamedOrder& column : others_) {
    if (auto warning = column.warning(path, row_names_)) warnings.push_back(std::move(*warning));
  }
  return warnings;
}

namespace {

/// Appends a warning if rounds of the file have other sizes than the constraints state.
void append_other_sizes(const std::string& path, const History& history, const Constraints& constraints,
                        std::vector<std::string>& warnings) {
  // A round of arms that cost several units, or one that kept units, may spend less, and then a later one more.
  const bool exact = constraints.costs == PerArm<Pulls>{.every = power_of_ten(constraints.unit_decimals)};
  std::size_t different = 0;
  std::string first;
  Pulls kept = 0;
  for (std::size_t i = 0; i < history.rounds.size(); ++i) {
    const LoggedRound& round = history.rounds[i];
    Pulls spent = 0;
    for (Pulls pull = round.first_pull; pull < round.end_pull; ++pull)
      spent += constraints.costs.at(history.pulls[static_cast<std::size_t>(pull)].arm);
    const bool last = i + 1 == history.rounds.size();
    const bool too_many = spent > constraints.units_per_round + kept;
    const bool too_few = spent < constraints.units_per_round && exact && !last;
    if (!exact && !constraints.units_lapse) kept = std::max<Pulls>(0, kept + constraints.units_per_round - spent);
    if (!too_many && !too_few) continue;
    if (different++ > 0) continue;
    first = fmt::format("round {} has {} {}", round.round, constraints.units_text(spent), exact ? "pulls" : "units");
  }
  if (different == 0) return;
  const std::string others = different == 1 ? "" : fmt::format(" ({} rounds differ)", different);
  warnings.push_back(fmt::format(
      "{}: {}, but the number of units per round is {}{}; rows fill one round of that size after the other, so the "
      "rounds of the file are not those of the answer",
      path, first, constraints.units_text(constraints.units_per_round), others));
}

/// Appends a warning if the rounds of the file are not numbered 1, 2, 3, ...
void append_other_numbers(const std::string& path, const std::vector<LoggedRound>& rounds,
                          std::vector<std::string>& warnings) {
  for (std::size_t i = 0; i < rounds.size(); ++i) {
    const auto counted = static_cast<Pulls>(i) + 1;
    if (rounds[i].round == counted) continue;
    const std::string found = i == 0 ? fmt::format("the first round is {}", rounds[i].round)
                                     : fmt::format("round {} follows round {}", rounds[i].round, rounds[i - 1].round);
    warnings.push_back(fmt::format(
        "{}: {}, but rounds are counted from 1 without gaps: round {} of the file is round {} of the constraints and "
        "of the answer",
        path, found, rounds.back().round, rounds.size()));
    return;
  }
}

/// Appends a warning for each arm that is pulled in a round in which the constraints make it unavailable.
void append_contradicted_absences(const std::string& path, const History& history, const Constraints& constraints,
                                  std::vector<std::string>& warnings) {
  const RoundBudget budget{.units = std::numeric_limits<Pulls>::max(), .units_per_round = constraints.units_per_round};
  std::map<Arm, std::pair<Pulls, Pulls>> first;  // round of the first such pull, and their number
  Pulls spent = 0;
  for (const PastPull& pull : history.pulls) {
    const Pulls round = budget.round_of(spent + 1);
    spent += constraints.costs.at(pull.arm);
    const auto ranges = constraints.unavailable.find(pull.arm);
    if (ranges == constraints.unavailable.end() || available(ranges->second, round)) continue;
    ++first.try_emplace(pull.arm, round, 0).first->second.second;
  }
  for (const auto& [arm, pulls] : first) {
    warnings.push_back(fmt::format(
        "{}: arm '{}' is unavailable in round {} by the constraints, but the file has a pull of it there{}; rounds are "
        "counted from 1",
        path, label_of(history.arm_names, arm), pulls.first,
        pulls.second == 1 ? "" : fmt::format(" ({} such pulls in all)", pulls.second)));
  }
}

}  // namespace

std::vector<std::string> round_warnings(const std::string& path, const History& history,
                                        const Constraints& constraints) {
  const bool rounds_matter =
      constraints.units_per_round != power_of_ten(constraints.unit_decimals) || !constraints.unavailable.empty();
  if (!rounds_matter) return {};
  std::vector<std::string> warnings;
  if (!history.rounds.empty()) {
    append_other_sizes(path, history, constraints, warnings);
    append_other_numbers(path, history.rounds, warnings);
  }
  append_contradicted_absences(path, history, constraints, warnings);
  return warnings;
}

}  // namespace longrun
