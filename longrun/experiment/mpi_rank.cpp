#include "longrun/experiment/mpi_rank.h"

#include <fmt/format.h>
#include <sched.h>

#include <algorithm>
#include <cstdlib>
#include <thread>

#include "longrun/base/input_error.h"
#include "longrun/base/parse_number.h"

namespace longrun {
namespace {

std::optional<std::uint32_t> environment_number(const char* variable) {
  const char* text = std::getenv(variable);
  if (text == nullptr) return std::nullopt;
  const auto number = parse_number<std::uint32_t>(text);
  if (!number) throw InputError(fmt::format("{}={}: must be a whole number, as mpirun sets it", variable, text));
  return number;
}

}  // namespace

std::optional<MpiRank> mpi_rank() {
  const std::uint32_t size = environment_number("OMPI_COMM_WORLD_SIZE").value_or(1);
  if (size <= 1) return std::nullopt;
  const auto rank = environment_number("OMPI_COMM_WORLD_RANK");
  if (!rank || *rank >= size) {
    throw InputError(fmt::format("OMPI_COMM_WORLD_SIZE={} needs OMPI_COMM_WORLD_RANK from 0 to {}, as mpirun sets it",
                                 size, size - 1));
  }
  const std::uint32_t local_size = environment_number("OMPI_COMM_WORLD_LOCAL_SIZE").value_or(1);
  return MpiRank{.rank = *rank, .size = size, .local_size = std::max(1U, local_size)};
}

int MpiRank::threads() const {
  const unsigned cores = std::max(1U, std::thread::hardware_concurrency());
  cpu_set_t bound_to;
  const bool known = sched_getaffinity(0, sizeof(bound_to), &bound_to) == 0;
  const unsigned usable = known ? static_cast<unsigned>(CPU_COUNT(&bound_to)) : cores;
  return static_cast<int>(std::max(1U, std::min(cores / local_size, usable)));
}

}  // namespace longrun
