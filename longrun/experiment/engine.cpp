#include "longrun/experiment/engine.h"

#include <algorithm>
#include <chrono>
#include <functional>
#include <mutex>
#include <numeric>
#include <optional>

#include "longrun/base/parallel.h"
#include "longrun/policy/constrained.h"
#include "longrun/policy/optimal.h"
#include "longrun/solve/best_allocation.h"

namespace longrun {
namespace {

/// The optimum at every horizon of the config.
std::vector<Allocation> optima(const Bandit& bandit, const Config& config) {
  std::vector<Allocation> allocations;
  allocations.reserve(config.horizons.size());
  if (!config.constraints.none()) {  // minima and absences mean something else at every horizon
    for (const Pulls horizon : config.horizons) {
      allocations.push_back(optimal_allocation(bandit, horizon, config.constraints));
    }
    return allocations;
  }
  const BestAllocations best(known_arms(bandit, config.horizons.back()));
  for (const Pulls horizon : config.horizons) allocations.push_back(best.at(horizon));
  return allocations;
}

/// A bandit made ready: curves looked up, optima known. Noise is added per unit.
struct Prepared {
  Bandit bandit;
  std::vector<Allocation> best;
};

Prepared prepare(const Config& config, const Bandit& bandit) {
  Prepared prepared{.bandit = bandit.tabulated(config.horizons.back()), .best = {}};
  prepared.best = optima(prepared.bandit, config);
  return prepared;
}

/// Thrown out of a unit that is not to be finished.
struct Stopped {};

/// Told of every run made within a unit; may throw Stopped.
using Watch = std::function<void(std::uint64_t steps)>;

/// The outcomes of one policy at every horizon of the config.
std::vector<Outcome> play_policy(const Config& config, const PolicyChoice& policy, const Prepared& prepared,
                                 const Bandit& bandit, const Unit& unit,
                                 const std::shared_ptr<const ObservationTable>& observed, const Watch& watch) {
  const auto setting = [&](std::size_t horizon) {
    const Pulls pulls = config.horizons[horizon];
    return Setting{.arms = bandit.arm_count(),
                   .horizon = pulls,
                   .noise = bandit.noise,
                   .half_width = config.half_width.at(bandit.noise, pulls),
                   .seed = config.seed,
                   .replicate = unit.seed,
                   .plan = policy.entry().needs_plan ? prepared.best[horizon].pulls : std::vector<Pulls>{}};
  };
  const bool free = config.constraints.none();
  if (free && !policy.entry().uses_horizon && !config.half_width.depends_on_horizon()) {
    std::vector<Outcome> outcomes =
        policy.play_on(World(bandit, observed), setting(config.horizons.size() - 1), config.horizons);
    watch(static_cast<std::uint64_t>(std::accumulate(config.horizons.begin(), config.horizons.end(), Pulls{0})));
    return outcomes;
  }
  std::vector<Outcome> outcomes;
  outcomes.reserve(config.horizons.size());
  for (std::size_t horizon = 0; horizon < config.horizons.size(); ++horizon) {
    const std::span<const Pulls> alone(&config.horizons[horizon], 1);
    const World world(bandit, observed);
    outcomes.push_back(free ? std::move(policy.play_on(world, setting(horizon), alone)[0])
                            : play_constrained(world, policy, setting(horizon), config.constraints));
    watch(static_cast<std::uint64_t>(config.horizons[horizon]));
  }
  return outcomes;
}

/// Plays all or some policies of a unit: those for which `wanted` is true.
template <class Wanted>
std::vector<UnitRun> play_unit(const Config& config, const Unit& unit, const Prepared& prepared, const Watch& watch,
                               Wanted wanted) {
  Bandit bandit = prepared.bandit;
  bandit.noise = config.noises[unit.noise];
  const auto observed =
      std::make_shared<const ObservationTable>(observe_all(bandit, config.seed, unit.seed, config.horizons.back()));
  std::vector<UnitRun> runs;
  for (std::size_t policy = 0; policy < config.policies.size(); ++policy) {
    if (!wanted(config.policies[policy].entry())) continue;
    std::vector<Outcome> outcomes =
        play_policy(config, config.policies[policy], prepared, bandit, unit, observed, watch);
    for (std::size_t horizon = 0; horizon < outcomes.size(); ++horizon) {
      runs.push_back({.policy = policy,
                      .horizon = horizon,
                      .pulls = std::move(outcomes[horizon].pulls),
                      .earned = outcomes[horizon].earned,
                      .optimum = prepared.best[horizon].value});
    }
  }
  return runs;
}

/// What several units have in common, computed by the first that needs it.
class Shared {
 public:
  explicit Shared(const Config& config)
      : config_(config), bandits_(config.bandits.size()), certain_(config.bandits.size()) {}

  std::vector<UnitRun> run(const Unit& unit, const Watch& watch) {
    const BanditChoice& choice = config_.bandits[unit.bandit];
    if (choice.per_seed) {
      return play_unit(config_, unit, prepare(config_, choice.at(unit.seed)), watch,
                       [](const PolicyEntry&) { return true; });
    }
    const Prepared& prepared = bandits_[unit.bandit].get([&] { return prepare(config_, choice.at(unit.seed)); });
    if (!std::holds_alternative<NoNoise>(config_.noises[unit.noise])) {
      return play_unit(config_, unit, prepared, watch, [](const PolicyEntry&) { return true; });
    }
    // Without noise a policy that tosses no coins does the same for every seed.
    std::vector<UnitRun> runs = certain_[unit.bandit].get([&] {
      return play_unit(config_, unit, prepared, watch, [](const PolicyEntry& entry) { return !entry.tosses_coins; });
    });
    if (runs.size() == config_.policies.size() * config_.horizons.size()) return runs;
    std::vector<UnitRun> chancy =
        play_unit(config_, unit, prepared, watch, [](const PolicyEntry& entry) { return entry.tosses_coins; });
    runs.insert(runs.end(), std::make_move_iterator(chancy.begin()), std::make_move_iterator(chancy.end()));
    return runs;
  }

 private:
  template <class Value>
  class Once {
   public:
    template <class Make>
    const Value& get(Make make) {
      const std::lock_guard lock(making_);
      if (!value_) value_ = make();
      return *value_;
    }

   private:
    std::mutex making_;
    std::optional<Value> value_;
  };

  const Config& config_;
  std::vector<Once<Prepared>> bandits_;
  std::vector<Once<std::vector<UnitRun>>> certain_;
};

}  // namespace

std::vector<UnitRun> run_unit(const Config& config, const Unit& unit) {
  return Shared(config).run(unit, [](std::uint64_t) {});
}

Progress run_experiment(const Config& config, Store& store, const RunOptions& options) {
  using Clock = std::chrono::steady_clock;
  store.begin(config, options.shard, options.restart);
  const std::vector<bool> recorded = store.recorded(config);
  const std::uint64_t runs_per_unit = config.policies.size() * config.horizons.size();
  const std::uint64_t steps_per_unit =
      config.policies.size() *
      static_cast<std::uint64_t>(std::accumulate(config.horizons.begin(), config.horizons.end(), Pulls{0}));

  Progress progress;
  std::vector<std::size_t> work;
  for (std::size_t unit = 0; unit < unit_count(config); ++unit) {
    if (!options.shard.has(unit)) continue;
    progress.runs_total += runs_per_unit;
    progress.steps_total += steps_per_unit;
    if (recorded[unit]) {
      progress.runs_done += runs_per_unit;
      progress.steps_done += steps_per_unit;
    } else {
      work.push_back(unit);
    }
  }
  progress.runs_before = progress.runs_done;

  Shared shared(config);
  std::mutex recording;  // guards all below, and the store
  Clock::time_point committed = Clock::now();
  std::uint64_t unrecorded_steps = 0;  // of units that are being computed
  const auto stopping = [&] { return options.stop != nullptr && options.stop->load(); };
  const auto now_and_then = [&] {
    if (Clock::now() - committed < options.every) return;
    store.commit();
    committed = Clock::now();
    if (!options.on_progress) return;
    Progress shown = progress;
    shown.steps_done += unrecorded_steps;
    options.on_progress(shown);
  };
  const auto compute = [&](std::size_t unit) {
    if (stopping()) return;
    std::uint64_t steps = 0;
    const auto settle = [&] { unrecorded_steps -= steps; };
    try {
      const std::vector<UnitRun> runs = shared.run(unit_at(config, unit), [&](std::uint64_t played) {
        if (stopping()) throw Stopped{};
        const std::lock_guard lock(recording);
        steps += played;
        unrecorded_steps += played;
        now_and_then();
      });
      const std::lock_guard lock(recording);
      settle();
      store.add(config, unit, runs);
      progress.runs_done += runs_per_unit;
      progress.steps_done += steps_per_unit;
      now_and_then();
    } catch (const Stopped&) {
      const std::lock_guard lock(recording);
      settle();
    }
  };
  in_parallel(options.threads, work.size(), [&](std::size_t i) { compute(work[i]); });
  store.commit();
  if (options.on_progress) options.on_progress(progress);
  return progress;
}

}  // namespace longrun
