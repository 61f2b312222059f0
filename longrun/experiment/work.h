#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "longrun/experiment/config.h"
#include "longrun/experiment/shard.h"
#include "longrun/experiment/store.h"

namespace longrun {

/// An amount of work: runs, and the steps they make.
struct Work {
  std::uint64_t runs = 0;
  std::uint64_t steps = 0;

  Work operator+(const Work& other) const { return {runs + other.runs, steps + other.steps}; }
  Work operator-(const Work& other) const { return {runs - other.runs, steps - other.steps}; }
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

/// Returns the work of an experiment by bandit and noise, all with equal shares.
std::vector<WorkShare> work_shares(const Config& config);

/// What a shard has to do of an experiment, and how much of it is recorded.
struct ShardWork {
  Work total;
  Work recorded;

  ShardWork operator+(const ShardWork& other) const { return {total + other.total, recorded + other.recorded}; }
};
ShardWork shard_work(const Config& config, const Store& store, const Shard& shard);

/// Throws InputError, with the file and the bandit, if the experiment cannot be run: its tables of rewards would be too
/// large, or the optimum would take too many steps. Of a bandit with an instance per seed, looks at the first and the
/// last. The steps that constraints take are known only while the optimum is computed, so they are not checked.
void check_computable(const Config& config);

}  // namespace longrun
