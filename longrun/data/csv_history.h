#pragma once

#include <istream>
#include <optional>
#include <string>
#include <vector>

#include "longrun/model/history.h"

namespace longrun {

/// The largest number of arms. A larger arm number is a mistake.
inline constexpr Arm kMostArms = 1'000'000;

/// The arms, as far as the caller knows them before the history is read.
struct ArmsGiven {
  std::optional<Arm> count{};
  std::vector<std::string> names{};  ///< of all arms, or empty
};

/// Reads past pulls, in order, from a CSV text with the columns `arm` and `reward`; other columns are ignored. If names
/// are given, a cell is the name or the number of an arm. Otherwise the first row decides. If its arm is a whole
/// number, arms are numbers from 0, and there are `given.count` of them, or one more than the largest number; numbers
/// that skip most arms are refused, because they are identifiers. If it is not, arms are names, numbered as they
/// appear. A header alone is a history without pulls. Throws InputError of one line; `path` is for that line.
History read_csv_history(const std::string& path, std::istream& text, const ArmsGiven& given);

/// Returns a history without pulls. Throws InputError if neither the number nor the names of the arms are given, or if
/// names are duplicate.
History empty_history(const ArmsGiven& given);

}  // namespace longrun
