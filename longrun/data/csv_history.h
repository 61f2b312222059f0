#pragma once

#include <istream>
#include <optional>
#include <string>
#include <vector>

#include "longrun/model/history.h"

namespace longrun {

/// The largest number of arms of a history.
inline constexpr Arm kMostArms = 1'000'000;

/// The arms, as far as the caller knows them before the history is read.
struct ArmsGiven {
  std::optional<Arm> count{};
  std::vector<std::string> names{};  ///< of all arms, or empty
};

/// Reads past pulls, in order, from a CSV text with the columns `arm` and `reward`; other columns are ignored. If names
/// are given, a cell of `arm` is the name or the number of an arm. Otherwise the first row decides. If its cell is a
/// whole number, cells are arm numbers from 0, and the number of arms is `given.count` or one more than the largest arm
/// number. Without `given.count`, numbers that skip most arms are refused, because they are identifiers. If the first
/// cell is not a whole number, cells are names, and arms are numbered in the order in which they appear. A header alone
/// is a history without pulls. Throws InputError of one line, which begins with `path` unless `given` is invalid.
History read_csv_history(const std::string& path, std::istream& text, const ArmsGiven& given);

/// Returns a history without pulls. Throws InputError if neither the number nor the names of the arms are given, if
/// both are given and differ, or if a name is empty or a duplicate.
History empty_history(const ArmsGiven& given);

}  // namespace longrun
