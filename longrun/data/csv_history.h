#pragma once

#include <istream>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "longrun/base/input_error.h"
#include "longrun/data/csv.h"
#include "longrun/model/history.h"

namespace longrun {

/// The largest number of arms of a history.
inline constexpr Arm kMostArms = 1'000'000;

/// The arms, as far as the caller knows them before the history is read.
struct ArmsGiven {
  std::optional<Arm> count{};
  std::vector<std::string> names{};  ///< labels of all arms, in order, or empty
  bool positions = false;            ///< whether cells are positions of arms, from 0, and not labels
};

/// The error for labels whose number is not the given number of arms.
class ArmCountError : public InputError {
 public:
  using InputError::InputError;
};

/// The error for a file without rows, if nothing else says what the arms are.
class NoRowsError : public InputError {
 public:
  explicit NoRowsError(const std::string& path)
      : InputError(path + ": has no rows; give the number or the names of the arms"), path_(path) {}

  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

/// The error for a row whose round or time is missing, invalid or before that of an earlier row.
class RowOrderError : public InputError {
 public:
  using InputError::InputError;
};

/// The error for a column that the file does not have.
class MissingColumnError : public InputError {
 public:
  MissingColumnError(const std::string& message, std::string column)
      : InputError(message), column_(std::move(column)) {}

  const std::string& column() const { return column_; }

 private:
  std::string column_;
};

/// The columns of a history, by the names in its header. Upper and lower case may differ.
struct HistoryColumns {
  std::string arm = "arm";
  std::string reward = "reward";
  std::optional<std::string> round{};  ///< nullopt: "round", if the file has it; empty: none, and no warnings
  std::optional<std::string> time{};   ///< nullopt: "time", if the file has it; empty: none, and no warnings
};

/// Reads past pulls from a CSV text, one row per pull, in order; other columns are ignored. A header alone is a history
/// without pulls.
///
/// Arms: a cell is the label of an arm. If no names are given, the arms are those that appear: in numerical order if
/// all labels are whole numbers, else in order of first appearance. With `given.positions`, a cell is the position of
/// an arm, and without names the labels are the positions; their number is `given.count`, or one more than the largest
/// position, unless positions skip so many arms that they must be identifiers.
///
/// Rewards: an empty cell is a pending reward, and "lost" one that will never be known. If the file has a column
/// "outcome", as the pulls of a study do, an empty cell of a row whose outcome is "lost" is one too, and a number
/// beside it an error. A row whose outcome is "void" is an error: the pull was not made. Upper and lower case may
/// differ.
///
/// Order: rounds, whole numbers, and times (time_stamp.h) must not descend. Rows are not sorted, because rows of one
/// time could then stay in the wrong order. If the file has neither column, another one that looks like a time and that
/// the rows contradict is a warning (row_order.h).
///
/// Other probable mistakes are warnings too: rows that repeat earlier ones, are sorted by reward or are totals of
/// others, labels that look the same, may be typos of others or stand for a missing one, an arm of its own for nearly
/// every row, and positions that do not begin at 0.
///
/// Errors and warnings name rows as `rows` says.
///
/// Throws InputError of one line, which begins with `path` unless `given` is invalid. If `given.count` is not the
/// number of labels that appear, that is an ArmCountError; what is wrong with rounds and times is a
/// RowOrderError; a column that is not found is a MissingColumnError.
History read_csv_history(const std::string& path, std::istream& text, const ArmsGiven& given,
                         const HistoryColumns& columns = {}, RowNames rows = RowNames::lines);

/// Returns a history without pulls. Without names, the labels are the positions "0", "1", ... Throws InputError if
/// neither the number nor the names of the arms are given, if both are given and differ, or if a name is empty or a
/// duplicate.
History empty_history(const ArmsGiven& given);

}  // namespace longrun
