#include "longrun/data/row_order.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "longrun/base/parse_number.h"
#include "longrun/data/column_words.h"
#include "longrun/data/csv_history.h"
#include "longrun/data/other_date.h"
#include "longrun/data/time_reading.h"
#include "longrun/data/time_stamp.h"

namespace longrun {

namespace {

/// Returns the cell of the current row. Throws RowOrderError if it is empty.
std::string_view value_in(const CsvReader& csv, std::size_t column) {
  const std::string_view cell = csv.cell(column);
  if (cell.empty()) throw RowOrderError(fmt::format("{}: the value is missing", csv.where(column)));
  return cell;
}

/// Returns the error for a row whose time is before that of an earlier one.
RowOrderError not_in_order(const CsvReader& csv, std::size_t column, const TimeReading::Descent& row,
                           const char* reading = "") {
  RowOrderError error(fmt::format("{}: '{}' is before '{}' of {}{}; rows must be in the order of their pulls",
                                  csv.where(column, row.line), row.cell, row.later_cell,
                                  row_name(row.later_line, csv.row_names()), reading));
  return error;
}

}  // namespace

class RoundColumn {
 public:
  explicit RoundColumn(std::size_t column) : column_(column) {}

  /// Checks the cell of the current row, and returns its round.
  Pulls check(const CsvReader& csv) {
    const std::string_view cell = value_in(csv, column_);
    const auto round = parse_number<Pulls>(cell);
    if (!round || *round < 0) {
      const auto time = parse_time_stamp(cell);
      const bool is_date = time && time->kind != TimeStamp::Kind::number;
      const char* dates = is_date ? "; a column of dates is one of times" : "";
      throw RowOrderError(
          fmt::format("{}: '{}' is not a round; rounds are whole numbers{}", csv.where(column_), cell, dates));
    }
    if (line_ > 0 && *round < last_) {
      throw not_in_order(
          csv, column_, {.line = csv.line(), .cell = std::string(cell), .later_line = line_, .later_cell = last_cell_});
    }
    last_ = *round;
    last_cell_ = cell;
    line_ = csv.line();
    return *round;
  }

 private:
  std::size_t column_;
  Pulls last_ = 0;         // of the last row
  std::string last_cell_;  // its text
  std::size_t line_ = 0;   // its line; 0 before the first row
};

class TimeColumn {
 public:
  explicit TimeColumn(std::size_t column) : column_(column) {}

  /// Checks the cell of the current row.
  void check(const CsvReader& csv) {
    const std::string_view cell = value_in(csv, column_);
    if (first_.empty()) first_ = cell;
    const auto kind = readings_.usual().possible() ? readings_.usual().kind() : std::nullopt;
    constexpr Arm kAllRows = 0;  // rows of different arms are compared too
    readings_.read(cell, csv.line(), kAllRows);
    if (readings_.may_be_six_digits()) return;  // all rows tell whether they are in order
    const auto readings = readings_.valid();
    if (readings.empty()) throw RowOrderError(fmt::format("{}: {}", csv.where(column_), not_a_time(cell, kind)));
    const auto is_number = [](const TimeReading* reading) { return reading->are_numbers(); };
    if (!readings_.usual().valid() && std::all_of(readings.begin(), readings.end(), is_number)) {
      throw RowOrderError(fmt::format("{}: '{}' has no year, so its order is not known; write {}", csv.where(column_),
                                      cell, kTimeForms));
    }
    const auto descends = [](const TimeReading* reading) { return reading->descents() > 0; };
    if (!std::all_of(readings.begin(), readings.end(), descends)) return;
    const bool are_months = readings_.are_months_with_points() && readings_.usual().descents() == 0;
    if (!are_months) throw descent(csv, *readings[0]);  // 10.2024 is a number if a later cell is no month
  }

  /// Checks that the rows are in order by every reading of their times. Call it after the last row.
  void finish(const CsvReader& csv) const {
    const bool are_numbers = readings_.may_be_six_digits() && !readings_.are_six_digits();
    if (are_numbers) throw descent(csv, readings_.usual());
    const auto readings = readings_.plausible();
    if (readings.empty() && readings_.are_six_digits()) {
      const TimeReading::Descent& row = readings_.usual().first_descent();
      throw RowOrderError(fmt::format(
          "{}: the order of rows cannot be checked: '{}' may be a date with the year last, and the rows are "
          "not in order with the day first, with the month first or as numbers; write dates with the year "
          "first (2024-01-31)",
          csv.where(column_, row.line), row.cell));
    }
    for (const TimeReading* reading : readings) {
      if (reading->descents() == 0) continue;
      if (readings.size() == 1) throw descent(csv, *reading);
      const TimeReading::Descent& row = reading->first_descent();
      throw RowOrderError(fmt::format(
          "{}: '{}' is before '{}' of {} if the dates are read in one way, such as with the day or the month first, "
          "and "
          "not if they are read in another; write dates with the year first (2024-01-31)",
          csv.where(column_, row.line), row.cell, row.later_cell, row_name(row.later_line, csv.row_names())));
    }
  }

 private:
  /// Returns the error for the first row that is before the one before it.
  RowOrderError descent(const CsvReader& csv, const TimeReading& reading) const {
    constexpr const char* kYearLast = " (as numbers; write dates with the year first, such as 2024-01-31)";
    return not_in_order(csv, column_, reading.first_descent(), readings_.end_with_year() ? kYearLast : "");
  }

  /// Returns what is wrong with a cell that is no time of the kind of those before it.
  std::string not_a_time(std::string_view cell, const std::optional<TimeStamp::Kind>& kind) const {
    const auto time = parse_time_stamp(cell);
    if (time && kind && *kind != time->kind) {
      return fmt::format("'{}' is {}, but the first row has {}; times must be of one kind", cell, name(time->kind),
                         name(*kind));
    }
    const bool is_date = std::any_of(kDateOrders.begin(), kDateOrders.end(),
                                     [&](DateOrder order) { return parse_other_date(cell, order).has_value(); });
    if (cell != first_ && (time || is_date)) {
      return fmt::format("'{}' is not of the form of '{}' in the first row; times must be of one form", cell, first_);
    }
    constexpr std::size_t kYear = 5;  // characters, with the hyphen: the month of 2024-9 has one digit
    std::string padded(cell);
    if (cell.size() == kYear + 1 && cell[kYear - 1] == '-' && parse_time_stamp(padded.insert(kYear, "0")))
      return fmt::format("'{}' is not a time; write {}", cell, padded);
    return fmt::format("'{}' is not a time; times are {}", cell, kTimeForms);
  }

  std::size_t column_;
  std::string first_;  // the first cell
  TimeReadings readings_{true};
};

namespace {

constexpr std::array<std::string_view, 3> kIndexNames{"", "index", "Unnamed: 0"};  // of pandas, for an index in a file
constexpr double kClock = 60;               // a number of hours, minutes or seconds up to it begins again
constexpr std::size_t kManyDescents = 4;    // one of so many changes
constexpr std::size_t kFewestNumbers = 10;  // of pulls; fewer numbers can differ by chance
constexpr std::size_t kOnlyDescents = 5;    // a number that descends so often and never ascends counts down

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

/// Returns whether no number of an arm occurs twice.
bool are_different(std::vector<std::pair<Arm, Pulls>> numbers) {
  std::sort(numbers.begin(), numbers.end());
  return std::adjacent_find(numbers.begin(), numbers.end()) == numbers.end();
}

}  // namespace

class UnnamedOrder {
 public:
  UnnamedOrder(std::size_t column, std::string name)
      : column_(column),
        name_(std::move(name)),
        is_time_(is_called_like_a_time(name_)),
        are_times_(is_time_ && !is_called_like_a_span(name_)),
        is_index_(is_index_name(name_)),
        counts_pulls_(is_called_like_a_number_of_pulls(name_)),
        readings_(is_time_) {}

  void read(const CsvReader& csv, Arm arm) {
    const std::string_view cell = csv.cell(column_);
    if (is_index_) index_.push_back(parse_number<Pulls>(cell));
    if (cell.empty()) return;  // says nothing about this row
    if (counts_pulls_) {
      const auto number = parse_number<Pulls>(cell);
      counts_pulls_ = number.has_value();
      if (number) numbers_.emplace_back(arm, *number);
    }
    has_digits_ = has_digits_ && cell.find_first_of("0123456789") != std::string_view::npos;
    const bool could_be_read = !first_ || !readings_.valid().empty();
    if (!first_) {
      first_ = cell;
      unread_ = cell;
      unread_line_ = csv.line();
    }
    varies_ = varies_ || cell != *first_;
    readings_.read(cell, csv.line(), arm);
    if (!could_be_read || !readings_.valid().empty()) return;
    unread_ = cell;
    unread_line_ = csv.line();
  }

  const std::string& name() const { return name_; }
  /// Returns how well the column can tell when pulls were made, by its name: 2 if it is called like a time, 1 if it is
  /// called otherwise, 0 if it is called like the end of something or what follows a pull.
  int rank() const { return is_called_like_a_later_time(name_) ? 0 : are_times_ ? 2 : 1; }
  int change(std::size_t line) const { return readings_.change(line); }

  /// Returns the reading that the rows contradict, if they contradict all; nullptr if they do not.
  const TimeReading* contradicted() const {
    const auto readings = valid();
    return !readings.empty() && contradictions() == readings.size() ? readings[0] : nullptr;
  }

  /// Returns why the order was not checked; nullopt if it was, or if the column is not called like a time.
  std::optional<std::string> unchecked(const std::string& path, RowNames rows) const {
    const auto readings = valid();
    const std::size_t against = contradictions();
    const bool is_checked = !readings.empty() && (against == 0 || against == readings.size());
    if (is_checked || !has_digits_ || !varies_ || !is_time_) return std::nullopt;
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

  /// Returns whether dates say that the rows of an arm are in order.
  bool is_confirmed() const {
    return only_ascends([](const TimeReading& reading) { return !reading.are_numbers() || reading.are_days(); });
  }
  /// Returns whether is_in_order() may become true after more rows.
  bool may_be_in_order() const {
    const auto may_be = [&](const TimeReading* reading) {
      return reading->descents() == 0 && (are_times_ || !reading->are_numbers() || reading->are_days());
    };
    const auto readings = readings_.valid();  // of a part of the rows, which does not tell what is plausible
    return std::any_of(readings.begin(), readings.end(), may_be);
  }
  /// Returns whether dates, or numbers of a column that is called like a time, say so.
  bool is_in_order() const {
    return only_ascends(
        [&](const TimeReading& reading) { return are_times_ || !reading.are_numbers() || reading.are_days(); });
  }

 private:
  /// Returns the readings of all cells. Numbers that may be dates with the year last have none in a column of times.
  std::vector<const TimeReading*> valid() const {
    return is_time_ && readings_.end_with_year() ? std::vector<const TimeReading*>() : readings_.plausible();
  }
  /// Returns how many of the readings the rows contradict.
  std::size_t contradictions() const {
    const auto readings = valid();
    const auto is_contradicted = [&](const TimeReading* reading) { return contradicts(*reading); };
    return static_cast<std::size_t>(std::count_if(readings.begin(), readings.end(), is_contradicted));
  }
  template <class Counts>
  bool only_ascends(const Counts& counts) const {
    const auto readings = valid();
    return !readings.empty() && std::all_of(readings.begin(), readings.end(), [&](const TimeReading* reading) {
      return counts(*reading) && reading->only_ascends();
    });
  }
  bool contradicts(const TimeReading& reading) const {
    if (reading.descents() == 0) return false;
    if (is_index_ && are_row_numbers(index_)) return true;
    if (counts_pulls_ && numbers_.size() >= kFewestNumbers && are_different(numbers_)) return true;
    if (!reading.are_numbers() || reading.are_days()) return true;
    const bool begins_again = is_called_like_a_clock(name_) && reading.most() <= kClock;
    if (are_times_ && !begins_again)
      return reading.descents() * kManyDescents >= reading.ascents() + reading.descents();
    const bool only_descends = reading.ascents() == 0 && reading.descents() >= kOnlyDescents;
    return only_descends && (begins_again || is_called_like_a_count(name_) || reading.are_unix_times());
  }

  std::size_t column_;
  std::string name_;
  bool is_time_;                                // whether the column is called like a time
  bool are_times_;                              // whether numbers in it are times, and no spans
  bool is_index_;                               // whether the column is called like an index of pandas
  bool counts_pulls_;                           // whether it is called like a number of pulls, and has no others
  std::vector<std::optional<Pulls>> index_;     // its cells
  std::vector<std::pair<Arm, Pulls>> numbers_;  // the arms and numbers of its rows, if it counts pulls
  TimeReadings readings_;
  std::optional<std::string> first_;  // the first cell that is not empty
  bool varies_ = false;               // whether any cell differs from it
  bool has_digits_ = true;            // whether every cell that is not empty has a digit
  std::string unread_;                // the first cell since which there is no reading of all; the first cell till then
  std::size_t unread_line_ = 0;       // its line
};

RowOrder::RowOrder(const CsvReader& csv, const Places& places) : row_names_(csv.row_names()) {
  if (places.round) round_ = std::make_unique<RoundColumn>(*places.round);
  if (places.time) time_ = std::make_unique<TimeColumn>(*places.time);
  if (round_ || time_) return;
  for (const std::size_t place : places.others) {
    if (!is_called_like_another_date(csv.names()[place])) others_.emplace_back(place, csv.names()[place]);
  }
  ascending_at_descent_.resize(others_.size());
  witness_places_.resize(others_.size());
}

RowOrder::~RowOrder() = default;

void RowOrder::read(const CsvReader& csv, Arm arm) {
  if (round_) {
    const Pulls round = round_->check(csv);
    const Pulls end = rounds_.empty() ? 0 : rounds_.back().end_pull;
    if (rounds_.empty() || rounds_.back().round != round) rounds_.push_back({round, end, end});
    ++rounds_.back().end_pull;
  }
  if (time_) time_->check(csv);
  for (UnnamedOrder& column : others_) column.read(csv, arm);
  Witnesses ascending;
  for (std::size_t i = 0; i < others_.size(); ++i) {
    if (others_[i].change(csv.line()) <= 0 || !others_[i].may_be_in_order()) continue;
    std::optional<std::size_t>& place = witness_places_[i];
    if (!place && witnesses_.size() < kMostWitnesses) {
      place = witnesses_.size();
      witnesses_.push_back(i);
    }
    if (place) ascending.set(*place);
  }
  if (ascending.none()) return;
  for (std::size_t i = 0; i < others_.size(); ++i) {
    if (others_[i].change(csv.line()) < 0) ascending_at_descent_[i] |= ascending;
  }
}

void RowOrder::finish(const CsvReader& csv) const {
  if (time_) time_->finish(csv);
}

bool RowOrder::is_confirmed() const {
  if (round_ || time_) return true;
  bool confirmed = false;
  for (std::size_t i = 0; i < others_.size(); ++i) {
    if (others_[i].contradicted() != nullptr && !is_attribute(i)) return false;
    confirmed = confirmed || others_[i].is_confirmed();
  }
  return confirmed;
}

bool may_tell_order(const std::string& column) {
  return is_index_name(column) || is_called_like_a_time(column) || is_called_like_a_count(column) ||
         is_called_like_a_number_of_pulls(column);
}

bool RowOrder::is_attribute(std::size_t column) const {
  for (std::size_t place = 0; place < witnesses_.size(); ++place) {
    const UnnamedOrder& witness = others_[witnesses_[place]];
    const bool ascends = ascending_at_descent_[column].test(place);
    if (ascends && witness.rank() >= others_[column].rank() && witness.is_in_order()) return true;
  }
  return false;
}

std::vector<std::string> RowOrder::warnings(const std::string& path) const {
  const UnnamedOrder* least = nullptr;
  const TimeReading* reading = nullptr;
  std::size_t contradicted = 0;
  for (std::size_t i = 0; i < others_.size(); ++i) {
    const TimeReading* each = others_[i].contradicted();
    if (each == nullptr || is_attribute(i)) continue;
    ++contradicted;
    if (reading != nullptr && each->descents() >= reading->descents()) continue;
    least = &others_[i];
    reading = each;
  }
  std::vector<std::string> warnings;
  if (least != nullptr) {
    const std::string column =
        least->name().empty() ? "the column without a name" : fmt::format("the column '{}'", least->name());
    const TimeReading::Descent& row = reading->first_descent();
    warnings.push_back(fmt::format(
        "{}: rows must be in the order of their pulls, but by {}, which is not used, {}: '{}' of {} is before {} of "
        "the same arm; sort the rows if this column tells when pulls were made{}",
        path, column, reading->ascents() == 0 ? "they are in the reverse order" : "they are not", row.cell,
        row_name(row.line, row_names_), row_name(row.later_line, row_names_),
        contradicted == 1 ? ""
                          : fmt::format(" (by {} columns they are not in order, and this one has the fewest steps "
                                        "back; another may be that of the pulls)",
                                        contradicted)));
  }
  int best = -1;  // rank of a column that says that the rows are in order
  for (const UnnamedOrder& column : others_) {
    if (column.is_in_order()) best = std::max(best, column.rank());
  }
  for (const UnnamedOrder& column : others_) {
    if (column.rank() <= best) continue;
    if (auto warning = column.unchecked(path, row_names_)) warnings.push_back(std::move(*warning));
  }
  return warnings;
}

}  // namespace longrun
