#include "longrun/experiment/internal/computing_order.h"

#include <algorithm>
#include <numeric>
#include <set>
#include <tuple>
#include <utility>
#include <variant>

#include "longrun/experiment/unit.h"

namespace longrun {
namespace {

/// A unit with the reasons for its place in the order.
struct RankedUnit {
  QueuedUnit queued;
  bool repeated = false;    ///< others repeat its runs
  std::uint64_t steps = 0;  ///< that it plays. A step of one policy takes up to ten times as long as one of another,
                            ///< but the units of an experiment have the same policies.
};

/// Returns the steps that a policy plays in one unit. A policy that does not use the horizon plays all horizons at
/// once.
std::uint64_t played_steps(const Config& config, const PolicyChoice& policy) {
  const bool one_pass = !policy.entry().traits.uses_horizon && !config.half_width.depends_on_horizon();
  if (one_pass && config.constraints.none()) return static_cast<std::uint64_t>(config.horizons.back());
  return static_cast<std::uint64_t>(std::accumulate(config.horizons.begin(), config.horizons.end(), Pulls{0}));
}

std::vector<RankedUnit> ranked_units(const Config& config, std::size_t experiment,
                                     const std::vector<std::size_t>& missing) {
  std::uint64_t all_steps = 0;
  std::uint64_t randomized_steps = 0;
  for (const PolicyChoice& policy : config.policies) {
    const std::uint64_t steps = played_steps(config, policy);
    all_steps += steps;
    if (policy.entry().traits.randomized) randomized_steps += steps;
  }
  std::vector<RankedUnit> ranked;
  std::set<std::pair<std::size_t, std::size_t>> begun;  // bandits and noises whose runs are repeated
  for (const std::size_t number : missing) {
    const Unit unit = unit_at(config, number);
    const bool repeats =
        std::holds_alternative<NoNoise>(config.noises[unit.noise]) && !config.bandits[unit.bandit].per_seed;
    const bool first = begun.insert({unit.bandit, unit.noise}).second;
    ranked.push_back({.queued = {.experiment = experiment, .unit = number},
                      .repeated = repeats && first,
                      .steps = repeats && !first ? randomized_steps : all_steps});
  }
  return ranked;
}

}  // namespace

std::vector<QueuedUnit> computing_order(std::span<const Config> configs,
                                        const std::vector<std::vector<std::size_t>>& missing) {
  std::vector<RankedUnit> ranked;
  std::vector<std::uint64_t> longest(configs.size(), 0);  // by experiment, the steps of its longest unit
  for (std::size_t experiment = 0; experiment < configs.size(); ++experiment) {
    for (const RankedUnit& unit : ranked_units(configs[experiment], experiment, missing[experiment])) {
      longest[experiment] = std::max(longest[experiment], unit.steps);
      ranked.push_back(unit);
    }
  }
  // Ascending keys: large numbers of steps come first.
  const auto key = [&](const RankedUnit& unit) {
    const std::size_t experiment = unit.queued.experiment;
    constexpr std::uint64_t kMost = UINT64_MAX;
    return unit.repeated ? std::tuple{0, kMost - unit.steps, experiment, std::uint64_t{0}, unit.queued.unit}
                         : std::tuple{1, kMost - longest[experiment], experiment, kMost - unit.steps, unit.queued.unit};
  };
  std::sort(ranked.begin(), ranked.end(), [&](const auto& a, const auto& b) { return key(a) < key(b); });
  std::vector<QueuedUnit> order;
  order.reserve(ranked.size());
  for (const RankedUnit& unit : ranked) order.push_back(unit.queued);
  return order;
}

}  // namespace longrun
