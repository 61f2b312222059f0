#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "longrun/base/types.h"
#include "longrun/data/csv.h"
#include "longrun/model/constraints.h"
#include "longrun/model/history.h"

namespace longrun {

/// A column whose values must not descend.
class OrderColumn;
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

  /// Returns the rounds of the file; none if it has no column of rounds.
  std::vector<LoggedRound> rounds() const { return rounds_; }

  /// Returns whether a column of rounds or times was checked, or a column of dates ascends.
  bool is_confirmed() const;

  /// Returns a warning for each other column that the rows of an arm contradict:
  ///
  /// - a column of dates, whatever its name, if any date is before that of the arm's row before it; also dates of other
  ///   forms (other_date.h), where the rows tell the day from the month, or where it does not matter;
  /// - a column of numbers that is called round, time, day, week or the like, if a quarter or more of the changes are
  ///   descents: fewer are those of a number that begins again, as the month does in January;
  /// - a column of numbers that is called id, index, number or the like, or whose numbers are Unix times, if it only
  ///   descends, at least 5 times;
  /// - a column that is called as pandas calls the index of a data frame in a file ("", "index", "Unnamed: 0") and has
  ///   the numbers 0, 1, ... each once, if any of them is before that of the arm's row before it: rows were shuffled.
  ///
  /// A column that is called date, time or the like is a warning that the order was not checked if all of its cells
  /// have digits, and are not times in one form, or dates of which it is not known whether the day or the month is
  /// first.
  ///
  /// Empty cells are left out. Texts such as 9.3.24 may be versions: they are dates only in a column that is called so.
  ///
  /// The order of rows of different arms does not count: a file that is sorted by arm and time is in order.
  std::vector<std::string> warnings(const std::string& path) const;

 private:
  std::unique_ptr<OrderColumn> round_;  // nullptr if it is not checked
  std::unique_ptr<OrderColumn> time_;   // the same
  std::vector<UnnamedOrder> others_;
  std::vector<LoggedRound> rounds_;
  RowNames row_names_;
};

/// Returns whether a column of numbers with this name may tell the order of rows: its name contains time, day, index or
/// the like, or is that of an index of pandas.
bool may_tell_order(const std::string& column);

/// Returns warnings about the rounds of a history, if the constraints mention rounds:
///
/// - the rounds of the file are not numbered 1, 2, 3, ..., as those of the constraints are;
/// - rounds of the file have more units than the constraints grant, or fewer pulls where every pull costs one unit; it
///   names the first. The last round may be incomplete;
/// - an arm is pulled in a round in which it is unavailable by the constraints.
///
/// The first two need a column of rounds.
std::vector<std::string> round_warnings(const std::string& path, const History& history,
                                        const Constraints& constraints);

}  // namespace longrun
