#pragma once

#include <bitset>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "longrun/base/types.h"
#include "longrun/data/csv.h"
#include "longrun/model/history.h"

namespace longrun {

/// A column of rounds, which must not descend.
class RoundColumn;
/// A column of times, which must not descend.
class TimeColumn;
/// A column that may tell the order of the rows, although the caller has not named it.
class UnnamedOrder;

/// The columns of a history that say in which order its rows were made, and whether the rows are in it.
class RowOrder {
 public:
  /// The places of the columns in the file. A column is checked only if it has a place.
  struct Places {
    std::optional<std::size_t> round{};
    std::optional<std::size_t> time{};
    std::vector<std::size_t> others{};  ///< those that may tell the order if neither of the two is checked
  };

  RowOrder(const CsvReader& csv, const Places& places);
  ~RowOrder();
  RowOrder(const RowOrder&) = delete;
  RowOrder& operator=(const RowOrder&) = delete;

  /// Reads the current row, which is a pull of `arm`. Throws RowOrderError if its round or time is missing, invalid or
  /// before that of an earlier row.
  void read(const CsvReader& csv, Arm arm);

  /// Checks what needs all rows. Throws RowOrderError if it depends on how the dates of a column of times are read,
  /// with the day or the month first, whether the rows are in order.
  void finish(const CsvReader& csv) const;

  /// Returns the rounds of the file; none if it has no column of rounds.
  std::vector<LoggedRound> rounds() const { return rounds_; }

  /// Returns whether a column of rounds or times was checked, or a column of dates ascends and the rows contradict no
  /// other.
  bool is_confirmed() const;

  /// Returns a warning for the other column that the rows of an arm contradict, of several the one with the fewest
  /// steps back. Columns that the rows can contradict are
  ///
  /// - a column of dates, whatever its name, if any date is before that of the arm's row before it; also dates of other
  ///   forms (other_date.h), where the rows tell the day from the month, or where it does not matter;
  /// - a column of numbers that is called round, time, day, week or the like, in one of six languages, if a quarter or
  ///   more of the changes are descents: fewer are those of a number that begins again, as the month does in January.
  ///   Spans of time (response time, days to delivery) and hours of a day are none; numbers such as 20240131 are dates;
  /// - a column of numbers that is called id, index, number or the like, or whose numbers are Unix times, if it only
  ///   descends, at least 5 times;
  /// - a column that is called as pandas calls the index of a data frame in a file ("", "index", "Unnamed: 0") and has
  ///   the numbers 0, 1, ... each once, if any of them is before that of the arm's row before it: rows were shuffled;
  /// - a column that is called pull, decision, trial, seq or sequence and has at least 10 whole numbers, none of an arm
  ///   twice, if any of them is before that of the arm's row before it.
  ///
  /// A column is an attribute, and no warning, if it is called birth, due, expires or the like, or if it descends in a
  /// row in which a column of dates ascends, or one of numbers that is called like a time, by which all rows are in
  /// order. The name of that column must be as good: a column that is called date, time or the like is an attribute
  /// only of another one, and only a column that is called end, delivery, updated or the like is one of such a column.
  /// A date that descends only within the months of a second column, which ascend, is no attribute.
  ///
  /// A column that is called date, time or the like is a warning that the order was not checked if all of its cells
  /// have digits, and are not times in one form, or dates of which it is not known whether the day or the month is
  /// first, unless another column, whose name is as good, says that the rows are in order.
  ///
  /// Empty cells are left out. Texts such as 9.3.24 may be versions: they are dates only in a column that is called so.
  ///
  /// The order of rows of different arms does not count: a file that is sorted by arm and time is in order.
  std::vector<std::string> warnings(const std::string& path) const;

 private:
  /// The most columns that may show that others are attributes, so that the time to read a row is proportional to the
  /// number of its columns. No file of a study or an export has so many dates; more would only be more warnings.
  static constexpr std::size_t kMostWitnesses = 64;
  using Witnesses = std::bitset<kMostWitnesses>;

  /// Returns whether a column of `others_` says something else than when pulls were made: it descends in a row in which
  /// a column ascends by which all rows are in order, and whose name is as good.
  bool is_attribute(std::size_t column) const;

  std::unique_ptr<RoundColumn> round_;  // nullptr if it is not checked
  std::unique_ptr<TimeColumn> time_;    // the same
  std::vector<UnnamedOrder> others_;
  std::vector<std::size_t> witnesses_;                      // the first of others_ that ascended and may be in order
  std::vector<std::optional<std::size_t>> witness_places_;  // [i]: of column i in witnesses_
  std::vector<Witnesses> ascending_at_descent_;  // [i]: places of those that ascend in a row in which i descends
  std::vector<LoggedRound> rounds_;
  RowNames row_names_;
};

/// Returns whether a column of numbers with this name may tell the order of rows: its name contains time, day, index or
/// the like, or is that of an index of pandas.
bool may_tell_order(const std::string& column);

}  // namespace longrun
