#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "longrun/model/bandit.h"

namespace longrun {

/// Returns the text of datasets/learning_curves.csv, which is compiled into the library.
std::string_view learning_curves_csv();

/// Returns the names of its data sets in the order of the file: wine, iris, ...
std::vector<std::string> learning_data_sets();

/// Returns a bandit whose arms are learners. A pull trains the learner on one more minibatch of a data set and pays its
/// accuracy on held-out data: a measured mean, see datasets/README.md. Rewards between two measured pulls are
/// interpolated linearly; the curves end with the last measured pull, which is the horizon. Throws InputError for an
/// unknown data set.
Bandit learning_curves_bandit(std::string_view name, std::string_view data_set);

}  // namespace longrun
