#pragma once

#include <istream>
#include <string>
#include <vector>

#include "longrun/model/bandit.h"

namespace longrun {

/// Reads a bandit from a CSV file: a header line with one name per arm, then one row per pull, mean rewards in [0, 1].
/// Throws InputError that names the file, line, column and value.
Bandit read_csv_curves(const std::string& path);
/// Reads the same from `text`; `path` is for errors and is the bandit's name.
Bandit read_csv_curves(const std::string& path, std::istream& text);

/// Reads noise to add to the means of `bandit`, from a CSV file of the same layout: one column per arm, any finite
/// numbers, at least `bandit.horizon` rows. If the columns have the names of the arms they may be in any order;
/// otherwise column i is the noise of arm i.
RecordedNoise read_csv_noise(const std::string& path, const Bandit& bandit);
RecordedNoise read_csv_noise(const std::string& path, std::istream& text, const Bandit& bandit);

/// Returns uniform noise whose bound is the largest magnitude in `noise`. A recording determines no more than this
/// bound.
Uniform bounding_noise(const RecordedNoise& noise);

}  // namespace longrun
