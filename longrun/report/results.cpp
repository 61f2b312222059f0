#include "longrun/report/results.h"

#include <algorithm>
#include <utility>

#include "longrun/simulate/regret.h"

namespace longrun {

Results::Results(const Store& store, Config config)
    : config_(std::move(config)),
      seeds_(config_.bandits.size() * config_.noises.size()),
      runs_(seeds_.size(), std::vector<std::vector<Run>>(config_.policies.size() * config_.horizons.size())) {
  store.for_each_run(config_, [&](const Unit& unit, const ContestRun& one) {
    runs_[cell(unit.bandit, unit.noise)][run(one.policy, one.horizon)].push_back(
        {.seed = unit.seed,
         .regret = policy_regret(one.optimum, one.earned) / static_cast<double>(config_.horizons[one.horizon]),
         .pulls = one.pulls});
  });
  for (std::size_t cell = 0; cell < runs_.size(); ++cell) {
    for (std::vector<Run>& runs : runs_[cell]) {
      std::sort(runs.begin(), runs.end(), [](const Run& a, const Run& b) { return a.seed < b.seed; });
    }
    for (const Run& one : runs_[cell].front()) seeds_[cell].push_back(one.seed);
  }
}

std::uint64_t Results::recorded() const {
  std::uint64_t seeds = 0;
  for (const auto& recorded : seeds_) seeds += recorded.size();
  return seeds * config_.policies.size() * config_.horizons.size();
}

std::vector<double> Results::regrets(std::size_t bandit, std::size_t noise, std::size_t policy,
                                     std::size_t horizon) const {
  std::vector<double> regrets;
  for (const Run& one : runs_[cell(bandit, noise)][run(policy, horizon)]) regrets.push_back(one.regret);
  return regrets;
}

}  // namespace longrun
