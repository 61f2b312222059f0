#pragma once

#include <string>
#include <vector>

#include "longrun/model/bandit.h"

namespace longrun {

/// A bandit from a CSV file: a header line with one name per arm, then one row per pull, mean rewards in [0, 1].
/// Everything wrong with the file is an InputError that names the file, line, column and value.
Bandit read_csv_curves(const std::string& path);

/// Noise to add to the means of `bandit`, from a CSV file of the same layout: one column per arm, any finite numbers.
RecordedNoise read_csv_noise(const std::string& path, const Bandit& bandit);

}  // namespace longrun
