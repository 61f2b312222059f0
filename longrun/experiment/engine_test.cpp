#include "longrun/experiment/engine.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>

#include "longrun/base/input_error.h"
#include "longrun/simulate/optimum.h"
#include "longrun/simulate/play.h"
#include "longrun/simulate/world.h"
#include "tests/scratch.h"

namespace longrun {
namespace {

constexpr const char* kSmall = R"(
bandits = ["inc_dec_3", "recommender_B", "const_*"]
noise = ["none", "gaussian:0.05", "bernoulli"]
policies = ["spo", "greedy", "one-step-optimistic", "exp3", "r-exp3", "d-ucb", "sw-ucb:window=30", "ucb", "increasing", "optimal",
            "spo@released", "ucb@released"]
horizons = [1, 7, 40, 150, 400]
seeds = 4
seed = 11
)";

Config small_config(const std::string& text = kSmall) { return parse_config(text, "small.toml"); }

/// A folder of its own, empty.
std::string fresh_folder(const std::string& name) {
  std::string path = scratch_path(name);
  std::filesystem::remove_all(path);
  return path;
}

std::string exported(const Store& store) {
  std::string text;
  store.for_each([&](const RunRecord& r) {
    text += fmt::format("{} {} {} {}:{} {} {} {} {} {} {}\n", r.experiment, r.bandit, r.noise, r.policy, r.parameters,
                        r.horizon, r.seed, fmt::join(r.pulls, ","), r.earned, r.optimum, r.regret);
  });
  return text;
}

std::string run_whole(const Config& config, const std::string& folder, int threads) {
  Store store(folder, Store::Access::write);
  const Progress progress = run_experiment(config, store, {.threads = threads});
  EXPECT_EQ(progress.runs_done, config.runs());
  EXPECT_EQ(progress.steps_done, config.steps());
  return exported(store);
}

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

TEST(Engine, GoesOnWhereItWasStopped) {
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

TEST(Engine, StopsWithinAUnitAndRecordsNothingOfIt) {
  // One unit, whose first policy alone would play a hundred passes.
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
  EXPECT_GT(seen_steps, 0U) << "progress shows within a unit, too";
  EXPECT_LT(seen_steps, progress.steps_total);
  EXPECT_EQ(store.recorded(config), std::vector<bool>{false});
}

TEST(Store, CanBeReadWhereNobodyMayWrite) {
  const std::string folder = fresh_folder("readonly");
  const std::string before = run_whole(small_config(), folder, 2);
  using std::filesystem::perms;
  std::filesystem::remove(folder + "/records.lock");
  std::filesystem::permissions(folder + "/records.sqlite", perms::owner_read);
  std::filesystem::permissions(folder, perms::owner_read | perms::owner_exec);
  const std::string read = exported(Store(folder, Store::Access::read));
  std::filesystem::permissions(folder, perms::owner_all);
  EXPECT_EQ(read, before);
}

TEST(Engine, ShardsMergeIntoTheRecordsOfOneProcess) {
  const Config config = small_config();
  std::vector<std::string> folders;
  for (const std::uint32_t index : {3U, 1U, 2U}) {
    folders.push_back(fresh_folder(fmt::format("shard{}", index)));
    Store store(folders.back(), Store::Access::write);
    run_experiment(config, store, {.threads = 1, .shard = {index, 3}});
  }
  Store merged(fresh_folder("merged"), Store::Access::write);
  merged.merge(folders);
  EXPECT_EQ(exported(merged), run_whole(config, fresh_folder("unsharded"), 2));
}

std::string complaint(const std::function<void()>& act) {
  try {
    act();
  } catch (const InputError& error) {
    EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos) << error.what();
    return error.what();
  }
  return "no complaint";
}

TEST(Merge, NamesWhatIsMissingAndRefusesWhatDoesNotFit) {
  const Config config = small_config();
  const auto shard = [&](const std::string& name, const Config& what, Shard part) {
    std::string folder = fresh_folder(name);
    Store store(folder, Store::Access::write);
    run_experiment(what, store, {.threads = 1, .shard = part});
    return folder;
  };
  const std::string first = shard("m1", config, {1, 3});
  const std::string second = shard("m2", config, {2, 3});
  std::string other_text = kSmall;
  other_text.replace(other_text.find("seed = 11"), 9, "seed = 12");
  const std::string other = shard("m3", small_config(other_text), {3, 3});
  const auto merging = [&](const std::vector<std::string>& folders) {
    return complaint([&] { Store(fresh_folder("m"), Store::Access::write).merge(folders); });
  };
  EXPECT_NE(merging({first, second}).find("shard 3/3 is missing"), std::string::npos) << merging({first, second});
  EXPECT_NE(merging({first, second, other}).find("another config"), std::string::npos);
  EXPECT_NE(merging({first, first, second}).find("the same shard, 1/3"), std::string::npos);
  EXPECT_NE(merging({first, "nowhere"}).find("nowhere: no records here"), std::string::npos);

  const std::string unfinished = fresh_folder("m4");
  Store(unfinished, Store::Access::write).begin(config, {3, 3}, false);
  EXPECT_NE(merging({first, second, unfinished})
                .find("shard 3/3 of experiment 'small' is not finished: 12 units are missing"),
            std::string::npos)
      << merging({first, second, unfinished});
}

TEST(Store, RefusesAnotherConfigOrShardUnlessAskedToRestart) {
  const std::string folder = fresh_folder("changed");
  run_whole(small_config(), folder, 2);
  std::string text = kSmall;
  text.replace(text.find("seeds = 4"), 9, "seeds = 3");
  Store store(folder, Store::Access::write);
  EXPECT_NE(complaint([&] { run_experiment(small_config(text), store, {}); }).find("begun with another config"),
            std::string::npos);
  EXPECT_NE(complaint([&] {
              run_experiment(small_config(), store, {.shard = {1, 2}});
            }).find("begun with another shard (1/1, now 1/2)"),
            std::string::npos);
  EXPECT_EQ(run_experiment(small_config(text), store, {.restart = true}).runs_before, 0U);
  EXPECT_EQ(run_experiment(small_config(text), store, {}).runs_before, small_config(text).runs());
}

TEST(Store, KeepsASecondWriterOut) {
  const std::string folder = fresh_folder("locked");
  const Store store(folder, Store::Access::write);
  EXPECT_NE(complaint([&] { Store second(folder, Store::Access::write); }).find("another run is writing here"),
            std::string::npos);
  EXPECT_NO_THROW(Store(folder, Store::Access::read));
}

TEST(Shard, IsReadFromItsText) {
  EXPECT_EQ(parse_shard("2/8"), (Shard{2, 8}));
  for (const char* wrong : {"", "2", "0/8", "9/8", "2/0", "a/b", "2/8/9", "-1/2"})
    EXPECT_THROW(parse_shard(wrong), InputError) << wrong;
}

}  // namespace
}  // namespace longrun
