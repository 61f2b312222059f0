#include "longrun/simulate/contest.h"

#include <algorithm>
#include <iterator>
#include <memory>
#include <numeric>
#include <utility>

#include "longrun/decide/constrained_policy.h"
#include "longrun/simulate/optimum.h"
#include "longrun/simulate/play.h"
#include "longrun/simulate/play_constrained.h"
#include "longrun/simulate/world.h"

namespace longrun {
namespace {

// Runs that are played together, if they are small: with many arms, the states of several runs do not fit into the
// processor's nearest memory.
constexpr std::size_t kRunsAtOnce = 8;
constexpr Arm kMostArmsOfRunsAtOnce = 16;

/// Returns the optimum at every horizon.
std::vector<Allocation> optima(const Bandit& bandit, const Contest& contest) {
  std::vector<Allocation> allocations;
  allocations.reserve(contest.horizons.size());
  if (!contest.constraints.none()) {  // constraints depend on the horizon, so no optimum follows from another
    for (const Pulls horizon : contest.horizons) {
      allocations.push_back(optimal_allocation(bandit, horizon, contest.constraints));
    }
    return allocations;
  }
  const BestAllocations best(known_arms(bandit, contest.horizons.back()));
  for (const Pulls horizon : contest.horizons) allocations.push_back(best.at(horizon));
  return allocations;
}

}  // namespace

struct ContestBandit::Replicate {
  Bandit bandit;  // with the noise of this replicate
  std::uint32_t number;
  std::shared_ptr<const ObservationTable> observed;  // up to the longest horizon
};

ContestBandit::ContestBandit(const Contest& contest, const Bandit& bandit)
    : contest_(contest), bandit_(bandit.tabulated(contest.horizons.back())), best_(optima(bandit_, contest)) {}

std::vector<RunResult> ContestBandit::play_policy(const PolicyChoice& policy, const Replicate& replicate,
                                                  const ReportSteps& report_steps) const {
  const std::vector<Pulls>& horizons = contest_.horizons;
  const Bandit& bandit = replicate.bandit;
  const auto setting = [&](std::size_t horizon) {
    return Setting{.arms = bandit.arm_count(),
                   .horizon = horizons[horizon],
                   .noise = bandit.noise,
                   .half_width = contest_.half_width.at(bandit.noise, horizons[horizon]),
                   .seed = contest_.seed,
                   .replicate = replicate.number,
                   .plan = policy.entry().traits.needs_plan ? best_[horizon].pulls : std::vector<Pulls>{}};
  };
  const bool unconstrained = contest_.constraints.none();
  if (unconstrained && !policy.entry().traits.uses_horizon && !contest_.half_width.depends_on_horizon()) {
    std::vector<RunResult> results =
        play_on(policy, World(bandit, replicate.observed), setting(horizons.size() - 1), horizons);
    report_steps(static_cast<std::uint64_t>(std::accumulate(horizons.begin(), horizons.end(), Pulls{0})));
    return results;
  }
  std::vector<RunResult> results;
  results.reserve(horizons.size());
  const World world(bandit, replicate.observed);
  if (!unconstrained) {
    for (std::size_t horizon = 0; horizon < horizons.size(); ++horizon) {
      results.push_back(play_constrained(world, policy, setting(horizon), contest_.constraints));
      report_steps(static_cast<std::uint64_t>(horizons[horizon]));
    }
    return results;
  }
  const std::size_t at_once = bandit.arm_count() <= kMostArmsOfRunsAtOnce ? kRunsAtOnce : 1;
  for (std::size_t first = 0; first < horizons.size(); first += at_once) {
    std::vector<Setting> settings;
    for (std::size_t k = first; k < std::min(first + at_once, horizons.size()); ++k) settings.push_back(setting(k));
    for (RunResult& result : play_each_on(policy, world, settings)) {
      report_steps(static_cast<std::uint64_t>(horizons[results.size()]));
      results.push_back(std::move(result));
    }
  }
  return results;
}

/// Plays the policies for which `selected` returns true.
template <class Selected>
std::vector<ContestRun> ContestBandit::play_policies(const Noise& noise, std::uint32_t number,
                                                     const ReportSteps& report_steps, Selected selected) const {
  Replicate replicate{.bandit = bandit_, .number = number, .observed = nullptr};
  replicate.bandit.noise = noise;
  replicate.observed = std::make_shared<const ObservationTable>(
      observe_all(replicate.bandit, contest_.seed, number, contest_.horizons.back()));
  std::vector<ContestRun> runs;
  for (std::size_t policy = 0; policy < contest_.policies.size(); ++policy) {
    if (!selected(contest_.policies[policy].entry())) continue;
    std::vector<RunResult> results = play_policy(contest_.policies[policy], replicate, report_steps);
    for (std::size_t horizon = 0; horizon < results.size(); ++horizon) {
      runs.push_back({.policy = policy,
                      .horizon = horizon,
                      .pulls = std::move(results[horizon].pulls),
                      .earned = results[horizon].earned,
                      .optimum = best_[horizon].value});
    }
  }
  return runs;
}

std::vector<ContestRun> ContestBandit::play(const Noise& noise, std::uint32_t replicate,
                                            const ReportSteps& report_steps) const {
  if (!std::holds_alternative<NoNoise>(noise)) {
    return play_policies(noise, replicate, report_steps, [](const PolicyEntry&) { return true; });
  }
  std::vector<ContestRun> runs;
  {
    const std::lock_guard lock(deterministic_mutex_);
    if (!deterministic_runs_) {
      deterministic_runs_ = play_policies(noise, replicate, report_steps,
                                          [](const PolicyEntry& entry) { return !entry.traits.randomized; });
    }
    runs = *deterministic_runs_;
  }
  if (runs.size() == contest_.policies.size() * contest_.horizons.size()) return runs;
  std::vector<ContestRun> randomized_runs =
      play_policies(noise, replicate, report_steps, [](const PolicyEntry& entry) { return entry.traits.randomized; });
  runs.insert(runs.end(), std::make_move_iterator(randomized_runs.begin()),
              std::make_move_iterator(randomized_runs.end()));
  return runs;
}

}  // namespace longrun
