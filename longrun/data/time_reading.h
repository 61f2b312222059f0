#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "longrun/base/types.h"
#include "longrun/data/other_date.h"
#include "longrun/data/time_stamp.h"

namespace longrun {

/// One way to read the cells of a column as times, and how often the rows of an arm go by it.
class TimeReading {
 public:
  /// A row whose time is before that of the row before it, of the same arm.
  struct Descent {
    std::size_t line = 0;
    std::string cell;
    std::size_t later_line = 0;  ///< of the row before it
    std::string later_cell;
  };

  /// Adds a row of `arm` whose cell is read as `time`; nullopt if it is not a time.
  void add(const std::optional<TimeStamp>& time, std::string_view cell, std::size_t line, Arm arm);

  /// Returns whether all cells so far are times of one kind. True if there are none.
  bool possible() const { return valid_; }
  bool valid() const { return valid_ && kind_; }
  std::optional<TimeStamp::Kind> kind() const { return kind_; }  ///< that of the first row
  bool are_numbers() const { return kind_ == TimeStamp::Kind::number; }
  /// Returns whether all values are days, written as numbers such as 20240131.
  bool are_days() const { return are_days_ && kind_; }
  double most() const { return static_cast<double>(most_); }  ///< the largest value
  long double span() const { return most_ - least_; }         ///< seconds, unless the values are numbers
  /// Returns whether all values can be seconds, or milliseconds, since 1970, from 2000 to 2100.
  bool are_unix_times() const;

  std::size_t ascents() const { return ascents_; }    ///< rows after the one before them
  std::size_t descents() const { return descents_; }  ///< rows before the one before them
  bool only_ascends() const { return ascents_ > 0 && descents_ == 0; }
  const Descent& first_descent() const { return first_descent_; }
  /// Returns 1 if the row of this line is after the one before it, of the same arm; -1 if it is before it; else 0.
  int change(std::size_t line) const { return line == last_line_ ? change_ : 0; }

 private:
  struct Row {
    long double value = 0;
    std::size_t line = 0;  // 0: there is none
    std::string cell;
  };

  bool valid_ = true;                    // whether every cell so far is a time, all of one kind
  std::optional<TimeStamp::Kind> kind_;  // nullopt before the first row
  bool are_days_ = true;                 // whether every value so far is a number such as 20240131
  long double least_ = 0;                // of all values
  long double most_ = 0;                 // of all values
  std::vector<Row> last_;                // last row of each arm
  std::size_t ascents_ = 0;
  std::size_t descents_ = 0;
  Descent first_descent_;
  std::size_t last_line_ = 0;  // of the last row, 0 before the first
  int change_ = 0;             // of that row
};

/// The ways to read the cells of a column as times. The rows decide between them: no month is above 12.
class TimeReadings {
 public:
  /// A column that is known to have times, or one that may have them. In the latter, a text such as 9.3.24 may be a
  /// version, and is no time. One such as 09.03.24 is a time if the rows together make it probable: plausible().
  explicit TimeReadings(bool are_times) : are_times_(are_times) {}

  void read(std::string_view cell, std::size_t line, Arm arm);

  /// Returns the readings by which all cells so far are times: that of parse_time_stamp() alone, or those of
  /// parse_other_date(). If all cells of a column of times are months such as 09.2024, that of these months alone. If
  /// are_six_digits(), those of parse_six_digits() by which the rows are in order; there may be none.
  std::vector<const TimeReading*> valid() const;
  /// Returns valid() without readings that make the rows of few years those of decades: if all of the dates such as
  /// 24-01-23 have nearly the same last number, it is the year, and the first one is the day. A reading of decades by
  /// which the rows are in order stays if they are not by that of few years: either may be right. Texts that may be
  /// versions are times only if they are of a few years and the day can be told from the month. For a column that is
  /// read to its end: of few rows, little is known.
  std::vector<const TimeReading*> plausible() const;
  /// Returns whether all cells so far are months such as 09.2024, in a column of times.
  bool are_months_with_points() const { return are_times_ && months_.valid(); }
  /// Returns whether all cells so far of a column of times may be dates such as 011223, and are not in order as
  /// numbers.
  bool may_be_six_digits() const;
  /// Returns whether they are also texts: one of them begins with a zero.
  bool are_six_digits() const { return begins_with_zero_ && may_be_six_digits(); }
  /// Returns the reading of parse_time_stamp().
  const TimeReading& usual() const { return usual_; }
  /// Returns whether all cells so far are numbers that may be dates with the year last, such as 05012022.
  bool end_with_year() const { return has_rows_ && end_with_year_; }
  /// Returns the change in the row of this line by the first valid reading.
  int change(std::size_t line) const;

 private:
  bool are_times_;
  bool has_rows_ = false;
  bool end_with_year_ = true;      // whether every cell so far does, as in 05012022
  bool begins_with_zero_ = false;  // whether any cell so far does, as 011223
  bool may_be_versions_ = false;   // whether a cell may be one, in a column that is not known to have times
  TimeReading usual_;
  TimeReading months_;                                  // by parse_month_with_point(), in a column of times
  std::array<TimeReading, 2> six_digits_;               // by parse_six_digits(), with the day and the month first
  std::array<TimeReading, kDateOrders.size()> others_;  // by parse_other_date(), if the first cell is no usual time
};

}  // namespace longrun
