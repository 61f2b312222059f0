#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "longrun/data/csv_history.h"
#include "longrun/model/arm_labels.h"
#include "longrun/model/history.h"

namespace longrun {

/// The arms of a history that is being read: which arm each cell is, and the labels of all arms. read_csv_history()
/// has the rules.
class ArmColumn {
 public:
  explicit ArmColumn(const ArmsGiven& given);

  /// Returns the arm of a cell, as a number that finish() may change. Throws InputError for a cell that is no arm.
  Arm arm(std::string_view cell);

  /// Returns the labels of all arms in their order, and gives the arms of `pulls` their final numbers. Throws
  /// InputError for labels that state the same number in two ways, positions that are identifiers, and a number of arms
  /// that is not the given one.
  std::vector<std::string> finish(std::vector<PastPull>& pulls);

 private:
  Arm by_position(std::string_view cell);
  Arm by_label(std::string_view cell);
  std::vector<std::string> position_names() const;
  void check_numbers_differ() const;
  void check_count() const;
  /// Sorts labels that are all whole numbers.
  void sort_numbers(std::vector<PastPull>& pulls);

  ArmsGiven given_;
  std::optional<ArmLabels> known_;             // if names are given
  std::vector<std::string> labels_;            // in order of first appearance, if labels are read
  std::unordered_map<std::string, Arm> arms_;  // of each of labels_
  std::unordered_set<Arm> positions_;          // that appear, if positions are read
  Arm largest_ = -1;                           // of positions_
};

}  // namespace longrun
