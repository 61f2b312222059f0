#pragma once

#include <cstdint>
#include <optional>

#include "longrun/experiment/shard.h"

namespace longrun {

/// The rank of this process in a group that mpirun started. No MPI library is needed: Open MPI's mpirun puts the
/// numbers into the environment.
struct MpiRank {
  std::uint32_t rank = 0;        ///< 0 .. size - 1
  std::uint32_t size = 1;        ///< processes in all, at least 2
  std::uint32_t local_size = 1;  ///< of these, processes on this machine

  Shard shard() const { return {rank + 1, size}; }
  /// Returns the number of threads for this process: its part of the machine's cores, and no more than it is bound to.
  int threads() const;
};

/// Returns nullopt if mpirun started no other process. Throws InputError for numbers that mpirun does not set.
std::optional<MpiRank> mpi_rank();

}  // namespace longrun
