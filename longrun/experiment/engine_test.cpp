#include "longrun/experiment/engine.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <atomic>
#include <mutex>
#include <set>
#include <stdexcept>

#include "longrun/simulate/optimum.h"
#include "longrun/simulate/play.h"
#include "longrun/simulate/world.h"
#include "tests/small_experiment.h"

namespace longrun {
namespace {

TEST(Engine, RecordsDoNotDependOnTheNumberOfThreads) {
  const std::string one = run_whole(small_config(), fresh_folder("one"), 1);
  EXPECT_EQ(std::count(one.begin(), one.end(), '\n'), static_cast<std::ptrdiff_t>(small_config().runs()));
  EXPECT_EQ(one, run_whole(small_config(), fresh_folder("four"), 4));
}

/// Several experiments of different lengths: with noise, without, with instances per seed, and an illustration.
std::vector<Config> several_configs() {
  const std::string rest = "policies = ['spo', 'exp3', 'ucb', 'optimal']\nseeds = 5\n";
  return {parse_config("bandits = ['inc_1']\nnoise = ['none']\nhorizons = [20, 90]\n" + rest, "none.toml"),
          parse_config("[[lp]]\ntitle = 'x'\narm = {formula = 'constant', level = 0.3}\nnoise = "
                       "'uniform:0.1'\nobserved = 3\nfuture = 2\n",
                       "picture.toml"),
          small_config(),
          parse_config("bandits = ['const_*']\nnoise = ['none', 'bernoulli']\nhorizons = [5, 300]\n" + rest,
                       "random.toml")};
}

TEST(Engine, RecordsOfSeveralExperimentsDoNotDependOnThreadsOrOnBeingComputedTogether) {
  const std::vector<Config> configs = several_configs();
  std::string expected;
  {
    Store store(fresh_folder("apart"), Store::Access::write);
    for (const Config& config : configs) run_experiment(config, store, {.threads = 1});
    expected = exported(store);
  }
  for (const int threads : {1, 2, 3, 8}) {
    Store store(fresh_folder(fmt::format("together_{}", threads)), Store::Access::write);
    const Progress progress = run_experiments(configs, store, {.threads = threads});
    EXPECT_EQ(progress.runs_done, progress.runs_total);
    EXPECT_EQ(progress.experiments_done, configs.size());
    EXPECT_TRUE(exported(store) == expected) << threads << " threads";
  }
}

TEST(Engine, EachExperimentIsAnnouncedOnceWhenItsRecordsCanBeRead) {
  const std::vector<Config> configs = several_configs();
  const std::string folder = fresh_folder("announced");
  for (const int round : {1, 2}) {
    Store store(folder, Store::Access::write);
    std::mutex mutex;
    std::multiset<std::string> announced;
    const auto read = [&](std::size_t experiment, TaskPool& pool) {
      const Config& config = configs[experiment];
      const bool complete = Store(folder, Store::Access::read).complete(config, {});
      pool.add_urgent([&, complete] {
        const std::lock_guard lock(mutex);
        EXPECT_TRUE(complete) << config.name << ", round " << round;
        announced.insert(config.name);
      });
    };
    run_experiments(configs, store, {.threads = 3, .on_recorded = read});
    EXPECT_EQ(announced, (std::multiset<std::string>{"none", "picture", "random", "small"})) << "round " << round;
  }
}

TEST(Engine, AfterAStopNoExperimentIsAnnounced) {
  const std::vector<Config> configs = several_configs();
  const std::string folder = fresh_folder("unannounced");
  Store store(folder, Store::Access::write);
  const std::atomic<bool> stop{true};
  int announced = 0;
  const Progress progress = run_experiments(
      configs, store, {.threads = 1, .stop = &stop, .on_recorded = [&](std::size_t, TaskPool&) { ++announced; }});
  EXPECT_EQ(announced, 0);
  EXPECT_EQ(progress.runs_done, 0U);
}

TEST(Engine, AFailureEndsAllThreads) {
  const std::vector<Config> configs = several_configs();
  Store store(fresh_folder("failing"), Store::Access::write);
  const auto fail = [](std::size_t, TaskPool&) { throw std::runtime_error("disk full"); };
  EXPECT_THROW(run_experiments(configs, store, {.threads = 4, .on_recorded = fail}), std::runtime_error);
}

TEST(Engine, TimesOfPartsAreMeasured) {
  Timing timing;
  const std::vector<Config> configs = several_configs();
  Store store(fresh_folder("timed"), Store::Access::write);
  run_experiments(configs, store, {.threads = 2, .timing = &timing});
  for (const TimedPart part : {TimedPart::computing, TimedPart::optimum, TimedPart::store}) {
    EXPECT_GT(timing.spent(part).wall, 0) << static_cast<std::size_t>(part);
    EXPECT_GT(timing.spent(part).cpu, 0) << static_cast<std::size_t>(part);
  }
  EXPECT_EQ(timing.spent(TimedPart::figures).wall, 0);
}

TEST(Engine, SharedNoiseAndSharedPassesChangeNoRecord) {
  const Config config = small_config();
  for (std::size_t number = 0; number < unit_count(config); ++number) {
    const Unit unit = unit_at(config, number);
    Bandit bandit = config.bandits[unit.bandit].at(unit.seed);
    bandit.noise = config.noises[unit.noise];
    std::size_t compared = 0;
    for (const ContestRun& run : run_unit(config, unit)) {
      const Pulls horizon = config.horizons[run.horizon];
      const Allocation best = optimal_allocation(bandit, horizon);
      const PolicyChoice& policy = config.policies[run.policy];
      const RunResult alone = play(policy, bandit,
                                   {.arms = bandit.arm_count(),
                                    .horizon = horizon,
                                    .noise = bandit.noise,
                                    .seed = config.seed,
                                    .replicate = unit.seed,
                                    .plan = policy.entry().traits.needs_plan ? best.pulls : std::vector<Pulls>{}});
      if (policy.entry().traits.needs_plan) {  // several plans may be optimal
        ASSERT_NEAR(run.earned, alone.earned, 1e-9);
        ++compared;
        continue;
      }
      ASSERT_EQ(run.pulls, alone.pulls) << policy.text() << " on " << bandit.name << " at " << horizon;
      ASSERT_EQ(run.earned, alone.earned);
      ASSERT_NEAR(run.optimum, best.value, 1e-9);
      ++compared;
    }
    EXPECT_EQ(compared, config.policies.size() * config.horizons.size());
  }
}

TEST(Engine, ContinuesAfterAStop) {
  const Config config = small_config();
  const std::string folder = fresh_folder("stopped");
  std::atomic<bool> stop{false};
  std::uint64_t before = 0;
  for (int round = 0; round < 50 && before < config.runs(); ++round) {
    Store store(folder, Store::Access::write);
    stop = false;
    const Progress progress = run_experiment(
        config, store,
        {.threads = 1, .on_progress = [&](const Progress& p) { stop = p.runs_done > before; }, .stop = &stop});
    EXPECT_EQ(progress.runs_before, before);
    before = progress.runs_done;
  }
  EXPECT_EQ(before, config.runs());
  EXPECT_EQ(exported(Store(folder, Store::Access::read)), run_whole(config, fresh_folder("whole"), 2));
}

TEST(Engine, StoppedWithinAUnitItRecordsNothingOfIt) {
  // One unit, whose first policy alone plays a hundred passes.
  const Config config = parse_config(
      "bandits = ['inc_1']\nnoise = ['gaussian:0.1']\npolicies = ['spo', 'exp3']\n"
      "horizons = {from = 100, to = 20000, count = 100}\n",
      "long.toml");
  Store store(fresh_folder("within"), Store::Access::write);
  std::atomic<bool> stop{false};
  std::uint64_t seen_steps = 0;
  const Progress progress = run_experiment(config, store,
                                           {.threads = 1,
                                            .on_progress =
                                                [&](const Progress& p) {
                                                  seen_steps = std::max(seen_steps, p.steps_done);
                                                  stop = true;
                                                },
                                            .every = std::chrono::milliseconds(0),
                                            .stop = &stop});
  EXPECT_EQ(progress.runs_done, 0U);
  EXPECT_GT(seen_steps, 0U) << "progress is reported within a unit, too";
  EXPECT_LT(seen_steps, progress.steps_total);
  EXPECT_EQ(store.recorded(config), std::vector<bool>{false});
}

}  // namespace
}  // namespace longrun
