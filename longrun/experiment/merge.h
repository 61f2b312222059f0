#pragma once

#include <set>
#include <string>
#include <vector>

#include "longrun/experiment/store.h"

namespace longrun {

/// The experiments of a merge, by name.
struct MergeResult {
  std::vector<std::string> merged;     ///< their records were added
  std::vector<std::string> unchanged;  ///< the store held these very records already
};

/// Adds the records of all shards, one folder each, to the store in `out`: all of them or, whatever happens, none. A
/// store that is made for this is removed again after an error. Throws InputError that names missing or unfinished
/// shards, for shards whose configs or versions differ, and if `out` holds other records of the same experiment.
MergeResult merge_shards(const std::vector<std::string>& directories, const std::string& out);

/// Does the same with an open store and only for the named experiments; empty for all.
MergeResult merge_shards(const std::vector<std::string>& directories, Store& out,
                         const std::set<std::string>& experiments = {});

}  // namespace longrun
