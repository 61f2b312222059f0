#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "longrun/experiment/config.h"
#include "longrun/experiment/store.h"

namespace longrun {

/// The records of one experiment. Bandits, noises, policies and horizons are indices into the lists of the config. Only
/// recorded seeds are included.
class Results {
 public:
  /// Reads the records of `config` from the store.
  Results(const Store& store, Config config);

  const Config& config() const { return config_; }
  /// Returns the number of recorded runs.
  std::uint64_t recorded() const;

  /// Returns the seeds recorded for a bandit and a noise, ascending. Below, k is an index into this list.
  const std::vector<std::uint32_t>& seeds(std::size_t bandit, std::size_t noise) const {
    return seeds_[cell(bandit, noise)];
  }
  /// Returns the policy regret divided by the horizon, for each seed.
  std::vector<double> regrets(std::size_t bandit, std::size_t noise, std::size_t policy, std::size_t horizon) const;
  /// Returns the number of pulls of each arm in the run of seed k.
  const std::vector<Pulls>& pulls(std::size_t bandit, std::size_t noise, std::size_t policy, std::size_t horizon,
                                  std::size_t k) const {
    return runs_[cell(bandit, noise)][run(policy, horizon)][k].pulls;
  }

 private:
  struct Run {
    std::uint32_t seed = 0;
    double regret = 0;
    std::vector<Pulls> pulls;
  };
  std::size_t cell(std::size_t bandit, std::size_t noise) const { return bandit * config_.noises.size() + noise; }
  std::size_t run(std::size_t policy, std::size_t horizon) const { return policy * config_.horizons.size() + horizon; }

  Config config_;
  std::vector<std::vector<std::uint32_t>> seeds_;    // [cell][k], ascending
  std::vector<std::vector<std::vector<Run>>> runs_;  // [cell][run][k]
};

}  // namespace longrun
