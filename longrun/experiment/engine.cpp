#include "longrun/experiment/engine.h"

#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>

#include "longrun/base/cancellation.h"
#include "longrun/experiment/internal/computing_order.h"
#include "longrun/experiment/work.h"
#include "longrun/simulate/contest.h"
#include "longrun/simulate/play.h"

namespace longrun {
namespace {

/// The bandits that several units of an experiment share, each prepared for the first unit that needs it.
class SharedBandits {
 public:
  SharedBandits(const Config& config, Timing* timing)
      : config_(config), timing_(timing), bandits_(config.bandits.size()) {}

  std::vector<ContestRun> run(const Unit& unit, const ContestBandit::ReportSteps& report_steps) {
    const BanditChoice& choice = config_.bandits[unit.bandit];
    const Noise& noise = config_.noises[unit.noise];
    if (!choice.per_seed) return prepared(unit.bandit).play(noise, unit.seed, report_steps);
    std::optional<ContestBandit> bandit;
    prepare(bandit, choice.at(unit.seed));
    return bandit->play(noise, unit.seed, report_steps);
  }

 private:
  struct Once {
    std::mutex making;
    std::optional<ContestBandit> bandit;
  };

  void prepare(std::optional<ContestBandit>& prepared, const Bandit& bandit) const {
    const TimedScope scope(timing_, TimedPart::optimum);
    prepared.emplace(config_, bandit);
  }

  const ContestBandit& prepared(std::size_t number) {
    Once& once = bandits_[number];
    const std::lock_guard lock(once.making);
    if (!once.bandit) prepare(once.bandit, *config_.bandits[number].fixed);
    return *once.bandit;
  }

  const Config& config_;
  Timing* timing_;
  std::vector<Once> bandits_;  // by number in the config
};

/// One call of run_experiments().
class Computation {
 public:
  Computation(std::span<const Config> configs, Store& store, const RunOptions& options)
      : configs_(configs),
        store_(store),
        options_(options),
        pool_(options.threads, options.timing),
        commit_due_(Clock::now() + options.every),
        report_due_(commit_due_) {}

  Progress run() {
    const std::vector<QueuedUnit> order = begin();
    for (const QueuedUnit& unit : order) {
      pool_.add([this, unit] { compute(unit); });
    }
    pool_.run();
    {
      const TimedScope scope(options_.timing, TimedPart::store);
      store_.commit();
    }
    if (options_.on_progress) options_.on_progress(progress_);
    return progress_;
  }

 private:
  using Clock = std::chrono::steady_clock;

  /// Units that wait to be recorded: few, so that a kill loses little, and a slow disk needs no memory.
  static constexpr std::size_t kMostWaiting = 64;

  /// An experiment being computed.
  struct Begun {
    Work unit_work;                          // of one unit
    std::size_t units_left = 0;              // to record
    std::unique_ptr<SharedBandits> bandits;  // until all units are recorded
  };
  /// A unit that waits to be recorded.
  struct Finished {
    QueuedUnit queued;
    std::vector<ContestRun> runs;
    std::uint64_t steps = 0;  // of unrecorded_steps_
  };

  bool stopping() const { return options_.stop != nullptr && options_.stop->load(); }

  /// Begins all experiments, and returns the units to compute.
  std::vector<QueuedUnit> begin() {
    const TimedScope scope(options_.timing, TimedPart::store);
    for (const Config& config : configs_) store_.begin(config, options_.shard, options_.restart);
    std::vector<std::vector<std::size_t>> missing(configs_.size());
    for (std::size_t experiment = 0; experiment < configs_.size(); ++experiment) {
      const Config& config = configs_[experiment];
      const std::vector<bool> recorded = store_.recorded(config);
      Begun begun{.unit_work = recorded.empty() ? Work{} : work_of(config).divided_by(recorded.size()),
                  .units_left = 0,
                  .bandits = std::make_unique<SharedBandits>(config, options_.timing)};
      for (std::size_t unit = 0; unit < recorded.size(); ++unit) {
        if (!options_.shard.has(unit)) continue;
        progress_.runs_total += begun.unit_work.runs;
        progress_.steps_total += begun.unit_work.steps;
        if (recorded[unit]) {
          count_recorded(begun.unit_work);
        } else {
          missing[experiment].push_back(unit);
        }
      }
      begun.units_left = missing[experiment].size();
      begun_.push_back(std::move(begun));
      if (missing[experiment].empty()) announce_recorded(experiment);
    }
    progress_.runs_before = progress_.runs_done;
    progress_.steps_before = progress_.steps_done;
    return computing_order(configs_, missing);
  }

  void count_recorded(const Work& work) {
    progress_.runs_done += work.runs;
    progress_.steps_done += work.steps;
  }

  void compute(const QueuedUnit& queued) {
    if (stopping()) return;
    const TimedScope scope(options_.timing, TimedPart::computing);
    const CancellationScope cancellable(options_.stop);
    {
      const std::lock_guard lock(mutex_);
      progress_.experiment = queued.experiment;
    }
    std::uint64_t steps = 0;
    try {
      const Unit unit = unit_at(configs_[queued.experiment], queued.unit);
      std::vector<ContestRun> runs = begun_[queued.experiment].bandits->run(unit, [&](std::uint64_t played) {
        steps += played;
        unrecorded_steps_ += played;
        commit_and_report_if_due();
      });
      {
        std::unique_lock lock(mutex_);
        room_.wait(lock, [&] { return waiting_.size() < kMostWaiting || writing_failed_; });
        waiting_.push_back({queued, std::move(runs), steps});
      }
      record();
      commit_and_report_if_due();
    } catch (const Cancelled&) {
      unrecorded_steps_ -= steps;
    }
  }

  // ---- recording: one thread at a time writes; the others leave their units to it and go on

  /// Writes the units that wait, unless another thread is writing: that thread writes them, too. After an exception no
  /// thread writes any more, and none waits for it.
  void record() {
    std::unique_lock lock(mutex_);
    if (writing_) return;
    writing_ = true;
    do {
      const std::vector<Finished> batch = std::exchange(waiting_, {});
      room_.notify_all();
      lock.unlock();
      std::vector<std::size_t> complete;
      try {
        complete = write(batch);
      } catch (...) {
        lock.lock();
        writing_failed_ = true;
        room_.notify_all();
        throw;
      }
      lock.lock();
      for (const Finished& unit : batch) {
        count_recorded(begun_[unit.queued.experiment].unit_work);
        unrecorded_steps_ -= unit.steps;
      }
      for (const std::size_t experiment : complete) announce_recorded(experiment);
    } while (!waiting_.empty());
    writing_ = false;
  }

  /// Writes units, and commits if one of them completes its experiment or the time has come. Returns the experiments
  /// that are complete.
  std::vector<std::size_t> write(const std::vector<Finished>& batch) {
    const TimedScope scope(options_.timing, TimedPart::store);
    std::vector<std::size_t> complete;
    for (const Finished& unit : batch) {
      store_.add(configs_[unit.queued.experiment], unit.queued.unit, unit.runs);
      Begun& begun = begun_[unit.queued.experiment];
      if (--begun.units_left > 0) continue;
      begun.bandits.reset();
      complete.push_back(unit.queued.experiment);
    }
    if (!complete.empty() || Clock::now() >= commit_due_) {
      store_.commit();
      commit_due_ = Clock::now() + options_.every;
    }
    return complete;
  }

  void announce_recorded(std::size_t experiment) {
    ++progress_.experiments_done;
    if (!options_.on_recorded) return;
    pool_.add_urgent([this, experiment] {
      if (!stopping()) options_.on_recorded(experiment, pool_);
    });
  }

  /// Commits and reports the progress if the time has come. Called after every run, so it is quick otherwise.
  void commit_and_report_if_due() {
    if (Clock::now() < report_due_.load(std::memory_order_relaxed)) return;
    const std::unique_lock reporting(reporting_, std::try_to_lock);
    if (!reporting.owns_lock() || Clock::now() < report_due_.load()) return;
    record();
    report_due_ = Clock::now() + options_.every;
    if (!options_.on_progress) return;
    Progress shown;
    {
      const std::lock_guard lock(mutex_);
      shown = progress_;
      shown.steps_done += unrecorded_steps_;
    }
    options_.on_progress(shown);
  }

  const std::span<const Config> configs_;
  Store& store_;  // used by the thread that has set writing_
  const RunOptions& options_;
  TaskPool pool_;
  std::vector<Begun> begun_;                        // one per config; units_left belongs to the thread that writes
  Clock::time_point commit_due_;                    // belongs to the thread that writes
  std::atomic<std::uint64_t> unrecorded_steps_{0};  // of units that are not recorded yet
  std::mutex reporting_;                            // held while progress is reported
  std::atomic<Clock::time_point> report_due_;       // when progress is reported next
  std::mutex mutex_;                                // guards the members below
  bool writing_ = false;                            // a thread writes to the store
  bool writing_failed_ = false;                     // an exception ended that
  std::vector<Finished> waiting_;                   // units to be recorded, at most kMostWaiting unless writing failed
  std::condition_variable room_;                    // notified when there are fewer of them
  Progress progress_;
};

}  // namespace

std::vector<ContestRun> run_unit(const Config& config, const Unit& unit) {
  return SharedBandits(config, nullptr).run(unit, [](std::uint64_t) {});
}

Progress run_experiments(std::span<const Config> configs, Store& store, const RunOptions& options) {
  return Computation(configs, store, options).run();
}

Progress run_experiment(const Config& config, Store& store, const RunOptions& options) {
  return run_experiments({&config, 1}, store, options);
}

}  // namespace longrun
