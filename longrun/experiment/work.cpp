#include "longrun/experiment/work.h"

#include <fmt/format.h>

#include "longrun/base/input_error.h"
#include "longrun/simulate/optimum.h"
#include "longrun/solve/best_allocation.h"

namespace longrun {

Work work_of(const Config& config) { return {.runs = config.runs(), .steps = config.steps()}; }

Work work_of(std::span<const Config> configs) {
  Work total;
  for (const Config& config : configs) total = total + work_of(config);
  return total;
}

std::vector<WorkShare> work_shares(const Config& config) {
  std::vector<WorkShare> shares;
  const std::size_t count = config.bandits.size() * config.noises.size();
  for (const BanditChoice& bandit : config.bandits) {
    for (const Noise& noise : config.noises) {
      shares.push_back({.bandit = &bandit,
                        .noise = &noise,
                        .work = {.runs = config.runs() / count, .steps = config.steps() / count}});
    }
  }
  return shares;
}

void check_computable(const Config& config) {
  if (!config.illustrations.empty()) return;
  const Pulls longest = config.horizons.back();
  const auto check = [&](const Bandit& bandit) {
    const Pulls most = kMostTabulatedRewards / bandit.arm_count();
    if (longest > most) {
      throw InputError(
          fmt::format("a run with {} arms and horizon {} needs too large a table of rewards; shorten the horizon to at "
                      "most {}",
                      bandit.arm_count(), longest, most));
    }
    if (config.constraints.none()) check_best_allocations(known_arms(bandit, longest));
  };
  for (const BanditChoice& choice : config.bandits) {
    try {
      check(choice.at(config.first_seed));
      if (choice.per_seed) check(choice.at(config.first_seed + config.seeds - 1));
    } catch (const InputError& error) {
      throw InputError(fmt::format("{}: bandit '{}': {}", config.path, choice.name, error.what()));
    }
  }
}

}  // namespace longrun
