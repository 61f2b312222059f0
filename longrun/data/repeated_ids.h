#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "longrun/data/column_words.h"
#include "longrun/data/csv.h"
#include "longrun/model/history.h"

namespace longrun {

/// The columns of a file that may be unique ids of its rows, by their names, and their cells.
class RepeatedIds {
 public:
  /// `others` are the columns that have neither arms nor rewards.
  RepeatedIds(const CsvReader& csv, const std::vector<std::size_t>& others);

  /// Reads the current row.
  void read(const CsvReader& csv);

  /// Returns a warning for the first column that is an id of nearly every row, if some ids occur in two rows, these
  /// have the same arm and reward, and that can hardly be chance: the rows may be duplicates. Customers and others who
  /// may come back must be equal in all columns, and so often that chance and habit cannot be the reason. A row whose
  /// reward is not known yet may be the same as one whose reward is. No warning if ids occur more often, or if rows of
  /// one id differ. Counts and names only ids whose two rows are equal. O(n log n); O(n), expected, if no id occurs
  /// twice.
  std::vector<std::string> warnings(const std::string& path, const std::vector<PastPull>& pulls, RowNames names) const;

 private:
  /// A column that may have ids.
  struct Column {
    std::size_t place = 0;
    std::string name;
    IdOf of = IdOf::an_event;
    std::vector<std::uint64_t> ids;  // [row]: hash of its cell; 0 for an empty one
  };

  std::vector<Column> columns_;
  std::vector<std::size_t> rest_;     // places of other columns
  std::vector<std::uint64_t> cells_;  // [row]: hash of its cells in them; empty if there are none
};

}  // namespace longrun
