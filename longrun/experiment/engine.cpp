#include "longrun/experiment/engine.h"

#include <chrono>
#include <mutex>
#include <numeric>
#include <optional>

#include "longrun/base/cancellation.h"
#include "longrun/base/parallel.h"
#include "longrun/simulate/contest.h"
#include "longrun/simulate/play.h"

namespace longrun {
namespace {

/// The bandits that several units share, each prepared for the first unit that needs it.
class SharedBandits {
 public:
  explicit SharedBandits(const Config& config) : config_(config), bandits_(config.bandits.size()) {}

  std::vector<ContestRun> run(const Unit& unit, const ContestBandit::ReportSteps& report_steps) {
    const BanditChoice& choice = config_.bandits[unit.bandit];
    const Noise& noise = config_.noises[unit.noise];
    if (choice.per_seed) return ContestBandit(config_, choice.at(unit.seed)).play(noise, unit.seed, report_steps);
    return bandits_[unit.bandit].get(config_, choice).play(noise, unit.seed, report_steps);
  }

 private:
  class Once {
   public:
    const ContestBandit& get(const Config& config, const BanditChoice& choice) {
      const std::lock_guard lock(making_);
      if (!bandit_) bandit_.emplace(config, *choice.fixed);
      return *bandit_;
    }

   private:
    std::mutex making_;
    std::optional<ContestBandit> bandit_;
  };

  const Config& config_;
  std::vector<Once> bandits_;
};

}  // namespace

std::vector<ContestRun> run_unit(const Config& config, const Unit& unit) {
  return SharedBandits(config).run(unit, [](std::uint64_t) {});
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

  SharedBandits shared(config);
  std::mutex recording;  // guards the store and the variables below
  Clock::time_point committed = Clock::now();
  std::uint64_t unrecorded_steps = 0;  // of units being computed
  const auto stopping = [&] { return options.stop != nullptr && options.stop->load(); };
  const auto commit_and_report = [&] {
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
    const CancellationScope scope(options.stop);
    std::uint64_t steps = 0;
    try {
      const std::vector<ContestRun> runs = shared.run(unit_at(config, unit), [&](std::uint64_t played) {
        const std::lock_guard lock(recording);
        steps += played;
        unrecorded_steps += played;
        commit_and_report();
      });
      const std::lock_guard lock(recording);
      unrecorded_steps -= steps;
      store.add(config, unit, runs);
      progress.runs_done += runs_per_unit;
      progress.steps_done += steps_per_unit;
      commit_and_report();
    } catch (const Cancelled&) {
      const std::lock_guard lock(recording);
      unrecorded_steps -= steps;
    }
  };
  in_parallel(options.threads, work.size(), [&](std::size_t i) { compute(work[i]); });
  store.commit();
  if (options.on_progress) options.on_progress(progress);
  return progress;
}

}  // namespace longrun
