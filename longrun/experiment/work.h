#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "longrun/experiment/config.h"

namespace longrun {

/// An amount of work: runs, and the steps they make.
struct Work {
  std::uint64_t runs = 0;
  std::uint64_t steps = 0;

  Work operator+(const Work& other) const { return {runs + other.runs, steps + other.steps}; }
  Work operator-(const Work& other) const { return {runs - other.runs, steps - other.steps}; }
  /// Returns one of `count` equal shares.
  Work divided_by(std::size_t count) const { return {runs / count, steps / count}; }
  friend bool operator==(const Work&, const Work&) = default;
};

Work work_of(const Config& config);
Work work_of(std::span<const Config> configs);

/// The work for one bandit with one noise. Pointers are into the config.
struct WorkShare {
  const BanditChoice* bandit;
  const Noise* noise;
  Work work;
};

/// Returns the work of an experiment by bandit and noise. All shares are equal.
std::vector<WorkShare> work_shares(const Config& config);

/// Throws InputError, with the file and the bandit, if the experiment cannot be run: its tables of rewards would be too
/// large, or the optimum would take too many steps. Of a bandit with an instance per seed, only the first and the last
/// are checked. The optimum under constraints is not checked, because its steps are not known in advance.
void check_computable(const Config& config);

}  // namespace longrun
