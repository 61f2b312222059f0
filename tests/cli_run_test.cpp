// `longrun run` as a process: killed, interrupted, sharded, exported.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>
#include <signal.h>  // NOLINT(modernize-deprecated-headers): kill() is POSIX

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <random>
#include <thread>

#include "longrun/experiment/store.h"
#include "tests/long_tests.h"
#include "tests/process.h"

namespace longrun {
namespace {

namespace fs = std::filesystem;
using Seconds = std::chrono::duration<double>;

class RunProcess : public ::testing::Test {
 protected:
  RunProcess() {
    fs::remove_all(scratch_path(folder_));
    fs::create_directories(scratch_path(folder_));
  }

  std::string path(const std::string& name) const { return scratch_path(folder_ + "/" + name); }

  void write_config(int seeds, int longest_horizon = 3000) const {
    written(folder_ + "/e.toml", fmt::format(R"(
bandits = ["inc_dec_3", "recommender_A"]
noise = ["none", "gaussian:0.05"]
policies = ["spo", "greedy", "exp3", "sw-ucb"]
horizons = {{from = 10, to = {}, count = 20}}
seeds = {}
)",
                                             longest_horizon, seeds));
  }

  std::string exported(const std::string& folder) const {
    const Finished run = longrun_run({"export", path(folder), "--csv"});
    EXPECT_EQ(run.code, 0) << run.err;
    return run.out;
  }

  /// Returns how long the experiment takes without interruption.
  Seconds time_to_run(const std::string& folder) const {
    const auto begin = std::chrono::steady_clock::now();
    const Finished run = longrun_run({"run", path("e.toml"), "--out", path(folder), "--quiet", "--threads", "1"});
    EXPECT_EQ(run.code, 0) << run.err;
    return std::chrono::steady_clock::now() - begin;
  }

  /// Returns how many units of the experiment are on disk. Opens a copy, because opening a store recovers it after a
  /// kill, which the next run has to do itself.
  std::size_t recorded_units(const std::string& folder) const {
    fs::remove_all(path("copy"));
    fs::copy(path(folder), path("copy"));
    if (!fs::exists(path("copy/records.sqlite"))) return 0;
    const Store store(path("copy"), Store::Access::read);
    const std::vector<bool> recorded = store.recorded(load_config(path("e.toml")));
    return static_cast<std::size_t>(std::count(recorded.begin(), recorded.end(), true));
  }

 private:
  std::string folder_ = ::testing::UnitTest::GetInstance()->current_test_info()->name();
};

TEST_F(RunProcess, KilledAtAnyMomentItEndsWithTheSameExport) {
  LONGRUN_SKIP_COUNTS_UNDER_SANITIZERS();
  // However fast the machine, the store commits every 200 ms: as many seeds as take about five seconds on this one
  // leave room for the kills.
  constexpr int kTrialSeeds = 10;
  write_config(kTrialSeeds, 20'000);
  const double trials = Seconds(5) / time_to_run("trial");
  write_config(static_cast<int>(kTrialSeeds * std::clamp(trials, 1.0, 100.0)), 20'000);
  const Seconds undisturbed = time_to_run("whole");
  const std::string expected = exported("whole");
  const std::size_t all = recorded_units("whole");
  ASSERT_EQ(all, unit_count(load_config(path("e.toml"))));
  // Not by EXPECT_EQ, which would never be done with finding how texts of that size differ.
  const auto same_export = [&] { return exported("killed") == expected; };

  const Seconds usual = std::max(Seconds(0.6), undisturbed / 10);
  Seconds longest = usual;
  std::mt19937 random(1);
  std::size_t before = 0;
  int killed = 0;
  int midway = 0;  // of these, when it had itself recorded some units and not yet the last
  fs::create_directories(path("killed"));
  for (int attempt = 0; attempt < 100 && (killed < 20 || midway < 10); ++attempt) {
    const Process process(
        longrun_command({"run", path("e.toml"), "--out", path("killed"), "--quiet", "--threads", "1"}));
    std::this_thread::sleep_for(longest * std::uniform_real_distribution<>(0, 1)(random));
    kill(process.id(), SIGKILL);
    const Finished run = process.finished();
    if (run.code == 0) {  // done before there were enough kills: once more from the start
      ASSERT_TRUE(same_export());
      fs::remove_all(path("killed"));
      fs::create_directories(path("killed"));
      before = 0;
      longest = usual;
      continue;
    }
    ASSERT_EQ(run.code, 128 + SIGKILL) << run.err;
    ++killed;
    const std::size_t after = recorded_units("killed");
    ASSERT_GE(after, before) << "recorded units are gone";
    if (after > before && after < all) ++midway;
    longest = after > before ? usual : longest * 1.25;  // it may be busier now
    before = after;
  }
  EXPECT_GE(killed, 20);
  EXPECT_GE(midway, 10);
  EXPECT_EQ(longrun_run({"run", path("e.toml"), "--out", path("killed"), "--quiet"}).code, 0);
  EXPECT_TRUE(same_export());
}

TEST_F(RunProcess, InterruptedItSaysHowToContinue) {
  write_config(4000);
  const Process process(longrun_command({"run", path("e.toml"), "--out", path("out"), "--quiet"}));
  while (!fs::exists(path("out/records.sqlite"))) std::this_thread::sleep_for(std::chrono::milliseconds(5));
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  kill(process.id(), SIGINT);
  const Finished finished = process.finished();
  EXPECT_EQ(finished.code, 130);
  EXPECT_NE(finished.err.find("the same command continues from there"), std::string::npos) << finished.err;
}

TEST_F(RunProcess, ShardsMergeToTheSameExport) {
  write_config(3);
  ASSERT_EQ(longrun_run({"run", path("e.toml"), "--out", path("whole"), "--quiet"}).code, 0);
  for (const std::string shard : {"1/3", "2/3", "3/3"}) {
    ASSERT_EQ(
        longrun_run({"run", path("e.toml"), "--out", path("part" + shard.substr(0, 1)), "--shard", shard, "--quiet"})
            .code,
        0);
  }
  const Finished incomplete = longrun_run({"merge", path("part1"), path("part3"), "--out", path("bad")});
  EXPECT_EQ(incomplete.code, 2);
  EXPECT_NE(incomplete.err.find("shard 2/3 is missing"), std::string::npos) << incomplete.err;
  const Finished merged = longrun_run({"merge", path("part1"), path("part2"), path("part3"), "--out", path("merged")});
  ASSERT_EQ(merged.code, 0) << merged.err;
  EXPECT_EQ(exported("merged"), exported("whole"));
}

TEST_F(RunProcess, AFailedMergeLeavesNothingAndARepeatedOneChangesNothing) {
  write_config(2);
  for (const std::string shard : {"1/2", "2/2"}) {
    ASSERT_EQ(
        longrun_run({"run", path("e.toml"), "--out", path("part" + shard.substr(0, 1)), "--shard", shard, "--quiet"})
            .code,
        0);
  }
  EXPECT_EQ(longrun_run({"merge", path("part1"), "--out", path("merged")}).code, 2);
  EXPECT_FALSE(fs::exists(path("merged")));
  const Arguments merge{"merge", path("part1"), path("part2"), "--out", path("merged")};
  const Finished first = longrun_run(merge);
  EXPECT_EQ(first.out, fmt::format("merged 2 folders into {}\n", path("merged"))) << first.err;
  const std::string before = exported("merged");
  const Finished second = longrun_run(merge);
  EXPECT_EQ(second.code, 0) << second.err;
  EXPECT_EQ(second.out, fmt::format("{} already holds these records; nothing was merged\n", path("merged")));
  EXPECT_EQ(exported("merged"), before);
}

TEST_F(RunProcess, AnUnusableStoreIsAFailureAndReplacedByRestart) {
  write_config(1);
  written(fs::path(path("e.toml")).parent_path().filename().string() + "/out/records.sqlite", std::string(500, 'x'));
  const Finished failed = longrun_run({"run", path("e.toml"), "--out", path("out"), "--quiet"});
  EXPECT_EQ(failed.code, 3);
  EXPECT_EQ(failed.err, fmt::format("longrun: {}/records.sqlite: file is not a database\n", path("out")));
  const Finished restarted = longrun_run({"run", path("e.toml"), "--out", path("out"), "--quiet", "--restart"});
  EXPECT_EQ(restarted.code, 0);
  EXPECT_EQ(restarted.err, fmt::format("longrun: {0}/records.sqlite: file is not a database; it is now "
                                       "{0}/records.sqlite.unusable-1, and a new file takes the records\n",
                                       path("out")));
  const std::string records = exported("out");
  EXPECT_EQ(std::count(records.begin(), records.end(), '\n'), 1 + 320);
}

TEST_F(RunProcess, SummaryShowsMeanRegretsAndMarksTheBest) {
  write_config(3);
  ASSERT_EQ(longrun_run({"run", path("e.toml"), "--out", path("out")}).code, 0);
  const Finished summary = longrun_run({"summary", path("out"), "--horizons", "10,3000"});
  ASSERT_EQ(summary.code, 0) << summary.err;
  for (const char* part :
       {"e: inc_dec_3, noise none", "e: recommender_A, noise gaussian:0.05", "T = 3000", "sw-ucb", " *"}) {
    EXPECT_NE(summary.out.find(part), std::string::npos) << part << "\n" << summary.out;
  }
  EXPECT_EQ(longrun_run({"summary", path("out"), "--horizons", "11"}).code, 2);
}

TEST_F(RunProcess, ProgressOutsideATerminalIsPlainLines) {
  write_config(2);
  const Finished finished = longrun_run({"run", path("e.toml"), "--out", path("out")});
  EXPECT_EQ(finished.code, 0);
  EXPECT_NE(finished.err.find("e: 640 of 640 runs (100 %)"), std::string::npos) << finished.err;
  EXPECT_EQ(finished.err.find('\r'), std::string::npos);
}

TEST_F(RunProcess, BadInputIsOneLine) {
  write_config(2);
  const std::vector<Arguments> wrong{
      {"run"},
      {"run", path("e.toml")},
      {"run", path("none.toml"), "--out", path("x")},
      {"run", path("e.toml"), path("e.toml"), "--out", path("x")},
      {"run", path("e.toml"), "--out", path("x"), "--threads", "0"},
      {"run", path("e.toml"), "--out", path("x"), "--shard", "4/3"},
      {"run", path("e.toml"), "--out", path("e.toml")},
      {"export", path("nowhere"), "--csv"},
      {"export", path("nowhere")},
      {"summary", path("nowhere")},
      {"merge", path("nowhere"), "--out", path("x")},
  };
  for (const auto& arguments : wrong) {
    const Finished finished = longrun_run(arguments);
    EXPECT_EQ(finished.code, 2) << fmt::format("{}", fmt::join(arguments, " ")) << "\n" << finished.err;
    EXPECT_EQ(finished.out, "");
    EXPECT_EQ(std::count(finished.err.begin(), finished.err.end(), '\n'), 1) << finished.err;
  }
}

}  // namespace
}  // namespace longrun
