// `longrun run` by several processes, with mpirun or --shard: the same records, also after failures and kills.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <signal.h>  // NOLINT(modernize-deprecated-headers): kill() is POSIX
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <random>
#include <thread>

#include "longrun/base/split.h"
#include "longrun/experiment/engine.h"
#include "tests/cli_output.h"
#include "tests/paths.h"

namespace longrun {
namespace {

namespace fs = std::filesystem;

std::string mpirun_path() {
  const char* path = std::getenv("PATH");
  for (const std::string_view folder : split(path == nullptr ? "" : path, ':')) {
    std::string program = fmt::format("{}/mpirun", folder);
    if (access(program.c_str(), X_OK) == 0) return program;
  }
  ADD_FAILURE() << "there is no mpirun in PATH: install openmpi-bin, as ./dev test does";
  return "mpirun";
}

/// Three processes on this machine alone, which need neither a network nor ssh, for at most five minutes.
Arguments mpirun(Arguments arguments) {
  Arguments command{mpirun_path(), "--allow-run-as-root", "--oversubscribe"};
  for (const char* option : {"--timeout 300", "--mca plm isolated", "--mca oob_tcp_if_include lo", "-n 3"}) {
    for (const std::string_view word : split(option, ' ')) command.emplace_back(word);
  }
  command.emplace_back(kBinary);
  command.insert(command.end(), arguments.begin(), arguments.end());
  return command;
}

/// One process as mpirun would start it, without the others.
Arguments as_rank(int rank, int size, const Arguments& arguments) {
  Arguments command{"/usr/bin/env", fmt::format("OMPI_COMM_WORLD_RANK={}", rank),
                    fmt::format("OMPI_COMM_WORLD_SIZE={}", size), kBinary};
  command.insert(command.end(), arguments.begin(), arguments.end());
  return command;
}

Finished run(const Arguments& command) { return Process(command).finished(); }

class Mpi : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = scratch_path(::testing::UnitTest::GetInstance()->current_test_info()->name());
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }

  std::string path(const std::string& name) const { return folder_ + "/" + name; }

  /// An experiment with 320 runs per seed.
  std::string experiment(int seeds, int horizon = 1000) const {
    std::ofstream(path("e.toml")) << fmt::format(R"(
bandits = ["inc_dec_3", "recommender_A"]
noise = ["none", "gaussian:0.05"]
policies = ["spo", "greedy", "exp3", "sw-ucb"]
horizons = {{from = 10, to = {}, count = 20}}
seeds = {}
)",
                                                 horizon, seeds);
    return path("e.toml");
  }

  static std::string exported(const std::string& folder) {
    const Finished finished = longrun_run({"export", folder, "--csv"});
    EXPECT_EQ(finished.code, 0) << finished.err;
    return finished.out;
  }

  /// What one process records.
  std::string expected(const std::string& file) const {
    fs::remove_all(path("whole"));
    const Finished finished = longrun_run({"run", file, "--out", path("whole"), "--quiet"});
    EXPECT_EQ(finished.code, 0) << finished.err;
    return exported(path("whole"));
  }

  std::string folder_;
};

TEST_F(Mpi, ItsRecordsAreThoseOfOneProcess) {
  const std::string file = experiment(5);
  const Arguments command = mpirun({"run", file, "--out", path("out")});
  const Finished finished = run(command);
  ASSERT_EQ(finished.code, 0) << finished.err;
  EXPECT_EQ(exported(path("out")), expected(file));
  // One process shows its progress: 7 of the 20 units.
  EXPECT_TRUE(finished.err.starts_with("shard 1/3, e: 560 of 560 runs (100 %), ")) << finished.err;
  EXPECT_EQ(std::count(finished.err.begin(), finished.err.end(), '\n'), 1) << finished.err;

  // All is merged: the same command has nothing to do, and needs no shards for that.
  for (const char* shard : {"shard-1-of-3", "shard-2-of-3", "shard-3-of-3"})
    EXPECT_GT(fs::remove_all(path("out/") + shard), 0U);
  const Finished again = run(command);
  EXPECT_EQ(again.code, 0) << again.err;
  EXPECT_EQ(again.err, "");
  EXPECT_FALSE(fs::exists(path("out/shard-1-of-3")));
}

TEST_F(Mpi, ShardsMergedByHandAreTheSame) {
  const std::string file = experiment(5);
  Arguments merge{"merge"};
  for (const char* shard : {"1/3", "2/3", "3/3"}) {
    merge.push_back(path(fmt::format("part{}", shard[0])));
    const Finished finished = longrun_run({"run", file, "--out", merge.back(), "--shard", shard});
    ASSERT_EQ(finished.code, 0) << finished.err;
    EXPECT_TRUE(finished.err.starts_with(fmt::format("shard {}, e: ", shard))) << finished.err;
  }
  merge.insert(merge.end(), {"--out", path("merged")});
  const Finished merged = longrun_run(merge);
  ASSERT_EQ(merged.code, 0) << merged.err;
  EXPECT_EQ(exported(path("merged")), expected(file));
}

TEST_F(Mpi, AfterAKillItContinues) {
  // As many seeds as take this machine some four seconds: however busy it is now and then, the first kill, half a
  // second after the work began, hits it at work.
  constexpr int kTrialSeeds = 100;
  const auto begin = std::chrono::steady_clock::now();
  ASSERT_EQ(longrun_run({"run", experiment(kTrialSeeds), "--out", path("trial"), "--quiet"}).code, 0);
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
  const std::string file = experiment(static_cast<int>(kTrialSeeds * std::clamp(4 / seconds.count(), 1.0, 100.0)));
  const Arguments command = mpirun({"run", file, "--out", path("out"), "--quiet"});
  std::mt19937 random(1);
  int killed = 0;
  for (int attempt = 0; attempt < 4; ++attempt) {
    const Process process(command);
    for (int wait = 0; wait < 30'000 && !fs::exists(path("out/shard-1-of-3/records.sqlite")); ++wait) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(300 + random() % 200));
    kill(process.id(), SIGTERM);  // with SIGKILL mpirun could not end its processes
    if (process.finished().code == 0) break;
    ++killed;
  }
  EXPECT_GE(killed, 1);
  const std::vector<bool> units = Store(path("out/shard-1-of-3"), Store::Access::read).recorded(load_config(file));
  EXPECT_GT(std::count(units.begin(), units.end(), true), 0);
  const Finished finished = run(command);
  ASSERT_EQ(finished.code, 0) << finished.err;
  EXPECT_EQ(exported(path("out")), expected(file));
}

TEST_F(Mpi, KilledWhileMergingItLeavesNoPartOfTheMerge) {
  const std::string file = experiment(400, 100);
  const Arguments last = as_rank(1, 2, {"run", file, "--out", path("out"), "--quiet"});
  ASSERT_EQ(run(as_rank(0, 2, {"run", file, "--out", path("out"), "--quiet"})).code, 0);
  const std::string nothing = exported(path("out"));
  EXPECT_EQ(std::count(nothing.begin(), nothing.end(), '\n'), 1);  // the header

  const auto written_while_merging = [&] {
    std::error_code none_there;
    const std::uintmax_t size = fs::file_size(path("out/records.sqlite-wal"), none_there);
    return none_there ? 0 : size;
  };
  for (const std::uintmax_t size : {100'000U, 1'000'000U, 3'000'000U}) {
    const Process process(last);
    for (int wait = 0; wait < 60'000 && written_while_merging() < size; ++wait) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    kill(process.id(), SIGKILL);
    ASSERT_EQ(process.finished().code, 128 + SIGKILL);
    EXPECT_EQ(exported(path("out")), nothing);
  }
  const Finished finished = run(last);
  ASSERT_EQ(finished.code, 0) << finished.err;
  EXPECT_EQ(exported(path("out")), expected(file));
}

TEST_F(Mpi, AFailingShardIsNamed) {
  const std::string file = experiment(5);
  const Arguments command = mpirun({"run", file, "--out", path("out"), "--quiet"});
  fs::create_directories(path("out"));
  std::ofstream(path("out/shard-2-of-3")) << "in the way";
  const Finished failed = run(command);
  EXPECT_EQ(failed.code, 2);
  EXPECT_TRUE(
      contains(failed.err, fmt::format("longrun: shard 2/3: {}/shard-2-of-3: is a file, not a folder", path("out"))))
      << failed.err;
  EXPECT_FALSE(contains(failed.err, "shard 1/3: ")) << failed.err;

  fs::remove(path("out/shard-2-of-3"));
  ASSERT_EQ(run(command).code, 0);
  EXPECT_EQ(exported(path("out")), expected(file));
  // The same where the shard was asked for.
  const Finished alone = longrun_run({"run", file, "--out", path("out"), "--shard", "2/3"});
  EXPECT_EQ(alone.code, 2);
  EXPECT_TRUE(alone.err.starts_with("longrun: shard 2/3: ")) << alone.err;
  const Finished no_file = longrun_run({"run", path("none.toml"), "--out", path("x"), "--shard", "2/3"});
  EXPECT_EQ(no_file.err, fmt::format("longrun: shard 2/3: {}: no such file\n", path("none.toml")));
}

TEST_F(Mpi, AnotherConfigIsRefusedUnlessItRestarts) {
  const std::string before = expected(experiment(4));
  const Arguments command = mpirun({"run", path("e.toml"), "--out", path("out"), "--quiet"});
  ASSERT_EQ(run(command).code, 0);
  const std::string after = expected(experiment(5));
  const Finished refused = run(command);
  EXPECT_EQ(refused.code, 2);
  EXPECT_TRUE(contains(refused.err, "experiment 'e' was begun with another config; use another folder, or restart it"))
      << refused.err;
  EXPECT_EQ(exported(path("out")), before);

  const Finished restarted = run(mpirun({"run", path("e.toml"), "--out", path("out"), "--quiet", "--restart"}));
  ASSERT_EQ(restarted.code, 0) << restarted.err;
  EXPECT_EQ(exported(path("out")), after);
}

TEST_F(Mpi, AnInvalidDivisionOfTheWorkIsOneLine) {
  const std::string file = experiment(5);
  const auto refused = [&](const Arguments& command, const std::string& why) {
    const Finished finished = run(command);
    EXPECT_EQ(finished.code, 2);
    EXPECT_EQ(finished.err, "longrun: " + why + "\n");
  };
  const std::string out = path("out");
  refused(as_rank(0, 3, {"run", file, "--out", out, "--shard", "1/3"}),
          "shard 1/3 is given, and mpirun gives each of its 3 processes a shard; use only one");
  refused(as_rank(3, 3, {"run", file, "--out", out}),
          "OMPI_COMM_WORLD_SIZE=3 needs OMPI_COMM_WORLD_RANK from 0 to 2, as mpirun sets it");
  EXPECT_FALSE(fs::exists(out));

  // What one process recorded is neither dropped nor computed again.
  const Config config = load_config(file);
  {
    Store store(out, Store::Access::write);
    store.begin(config, {}, false);
    store.add(config, 0, run_unit(config, unit_at(config, 0)));
    store.commit();
  }
  refused(
      as_rank(0, 3, {"run", file, "--out", out}),
      fmt::format("shard 1/3: {}: experiment 'e' was begun without mpirun; continue without it, use another folder, "
                  "or restart to drop its records",
                  out));
}

}  // namespace
}  // namespace longrun
