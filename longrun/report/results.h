#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "longrun/experiment/config.h"
#include "longrun/experiment/store.h"

namespace longrun {

/// The records of one experiment by number: bandit, noise, policy, horizon and seed as in the config. Seeds that are
/// not recorded yet are left out.
class Results {
 public:
  Results(const Store& store, Config config);

  const Config& config() const { return config_; }
  /// How many runs are recorded, of how many.
  std::uint64_t recorded() const;
  bool complete() const { return recorded() == config_.runs(); }

  /// The seeds recorded for a bandit and a noise, ascending; the k of the functions below counts in this list.
  const std::vector<std::uint32_t>& seeds(std::size_t bandit, std::size_t noise) const {
    return seeds_[cell(bandit, noise)];
  }
  /// Policy regret divided by the horizon, one per seed.
  std::vector<double> regrets(std::size_t bandit, std::size_t noise, std::size_t policy, std::size_t horizon) const;
  /// How often each arm was pulled in the run of the k-th seed.
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
  std::vector<std::vector<std::uint32_t>> seeds_;
  std::vector<std::vector<std::vector<Run>>> runs_;  // [cell][run][k]
};

}  // namespace longrun
