#pragma once

#include <set>
#include <string>
#include <vector>

#include "longrun/experiment/store.h"

namespace longrun {

/// The experiments of a merge, by name.
struct MergeResult {
  std::vector<std::string> merged;     ///< their records were added
  std::vector<std::string> unchanged;  ///< the store already held exactly these records
};

/// Adds the records of all shards, one folder each, to the store in `out`: either all of them or, after an error, none.
/// A store that this call creates is removed after an error. Throws InputError if shards are missing or unfinished, if
/// their configs or versions differ, or if `out` holds other records of the same experiment.
MergeResult merge_shards(const std::vector<std::string>& directories, const std::string& out);

/// Adds the records to an open store, only those of the named experiments, or all for an empty set.
MergeResult merge_shards(const std::vector<std::string>& directories, Store& out,
                         const std::set<std::string>& experiments = {});

}  // namespace longrun
