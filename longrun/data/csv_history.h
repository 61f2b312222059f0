#pragma once

#include <istream>
#include <optional>
#include <string>
#include <vector>

#include "longrun/model/history.h"

namespace longrun {

/// Beyond this a number that should name an arm is a mistake.
inline constexpr Arm kMostArms = 1'000'000;

/// What is known of the arms before their history is read.
struct ArmsGiven {
  std::optional<Arm> count{};
  std::vector<std::string> names{};  ///< all of them, or none
};

/// Reads past pulls, in order, from a CSV with the columns `arm` and `reward` (others are left out of account). Where
/// the names are given, arms go by name or number. Otherwise the first row decides: if its arm is a whole number, arms
/// are numbers from 0, as many as given or as the largest one says; else they are names, numbered as they appear.
/// A header alone is a history without pulls. Everything wrong is an InputError of one line; `path` is for that.
History read_csv_history(const std::string& path, std::istream& text, const ArmsGiven& given);

/// The arms of a history without pulls. Throws InputError where nothing tells how many, or a name stands there twice.
History empty_history(const ArmsGiven& given);

}  // namespace longrun
