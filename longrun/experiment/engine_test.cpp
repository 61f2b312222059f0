#include "longrun/experiment/engine.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <atomic>

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
