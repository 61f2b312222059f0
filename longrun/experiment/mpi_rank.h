#pragma once

#include <cstdint>
#include <optional>

#include "longrun/experiment/shard.h"

namespace longrun {

/// The rank of this process in a group that mpirun started. No MPI library is needed: Open MPI's mpirun sets these
/// numbers as environment variables.
struct MpiRank {
  std::uint32_t rank = 0;        ///< 0 .. size - 1
  std::uint32_t size = 1;        ///< processes in all, at least 2
  std::uint32_t local_size = 1;  ///< processes on this machine, at least 1

  Shard shard() const { return {rank + 1, size}; }
  /// Returns the number of threads for this process: its share of the machine's cores, at most those it is bound to.
  int threads() const;
};

/// Returns the rank of this process, or nullopt without mpirun or with a single process. Throws InputError if the
/// environment variables have values that mpirun cannot have set.
std::optional<MpiRank> mpi_rank();

}  // namespace longrun
