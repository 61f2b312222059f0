#include "longrun/experiment/run_session.h"

#include <gtest/gtest.h>

#include <csignal>
#include <cstdlib>
#include <fstream>

#include "longrun/base/system_error.h"
#include "longrun/experiment/mpi_rank.h"
#include "longrun/experiment/stop_on_signal.h"
#include "tests/small_experiment.h"

namespace longrun {
namespace {

/// Two experiments that take no time.
std::vector<Config> two_configs() {
  const std::string text = "bandits = ['inc_dec_3']\npolicies = ['greedy', 'spo']\nhorizons = [5, 9]\nseeds = 4\n";
  return {parse_config(text, "one.toml"), parse_config(text, "two.toml")};
}

/// Environment variables of mpirun, set while this exists.
class AsRank {
 public:
  AsRank(const std::string& rank, const std::string& size) {
    setenv("OMPI_COMM_WORLD_RANK", rank.c_str(), 1);
    setenv("OMPI_COMM_WORLD_SIZE", size.c_str(), 1);
  }
  ~AsRank() {
    unsetenv("OMPI_COMM_WORLD_RANK");
    unsetenv("OMPI_COMM_WORLD_SIZE");
  }
  AsRank(const AsRank&) = delete;
  AsRank& operator=(const AsRank&) = delete;
};

TEST(RunSession, ReportsTheWorkOfAllExperiments) {
  const std::string out = fresh_folder("session");
  std::vector<SessionProgress> seen;
  SessionOptions options{.on_progress = [&](const SessionProgress& progress) { seen.push_back(progress); }};
  const SessionResult result = RunSession(options).run(two_configs(), out);
  EXPECT_TRUE(result.complete);
  EXPECT_FALSE(result.stopped);
  EXPECT_EQ(result.total, (Work{.runs = 32, .steps = 224}));
  EXPECT_EQ(result.done, result.total);
  ASSERT_FALSE(seen.empty());
  EXPECT_TRUE(seen.back().finished);
  EXPECT_EQ(seen.back().done, result.total);
  EXPECT_EQ(seen.back().recorded_before, (Work{}));
  EXPECT_EQ(seen.back().experiments, 2U);

  seen.clear();
  EXPECT_TRUE(RunSession(options).run(two_configs(), out).complete);
  EXPECT_EQ(seen.back().recorded_before, result.total) << "the second session finds all recorded";
}

TEST(RunSession, AnExperimentGivenTwiceIsRefused) {
  std::vector<Config> configs = two_configs();
  configs[1] = configs[0];
  EXPECT_EQ(error_of([&] { RunSession({}).run(configs, fresh_folder("twice")); }),
            "one.toml: experiment 'one' is given twice");
}

TEST(RunSession, AnExperimentThatCannotBeComputedIsRefusedBeforeAnythingIsMade) {
  std::vector<Config> configs = two_configs();
  configs[1].horizons.back() = 1'000'000'000;
  const std::string out = fresh_folder("huge");
  EXPECT_EQ(
      error_of([&] { RunSession({}).run(configs, out); }),
      "two.toml: bandit 'inc_dec_3': a run with 2 arms and horizon 1000000000 needs too large a table of rewards; "
      "shorten the horizon to at most 134217728");
  EXPECT_FALSE(std::filesystem::exists(out));
}

TEST(RunSession, ARestartReplacesAnUnusableStoreAndSaysSo) {
  const std::string out = fresh_folder("unusable");
  std::filesystem::create_directories(out);
  std::ofstream(Store::file_in(out)) << std::string(500, 'x');
  EXPECT_EQ(error_of<SystemError>([&] { RunSession({}).run(two_configs(), out); }),
            out + "/records.sqlite: file is not a database");
  std::string message;
  SessionOptions options{.restart = true, .on_message = [&](const std::string& line) { message = line; }};
  EXPECT_TRUE(RunSession(options).run(two_configs(), out).complete);
  EXPECT_EQ(message, fmt::format("{0}/records.sqlite: file is not a database; it is now {0}/records.sqlite.unusable-1, "
                                 "and a new file takes the records",
                                 out));
}

TEST(RunSession, AShardIsNotAllAndNamesItselfInErrors) {
  const std::string out = fresh_folder("shard");
  SessionOptions options{.shard = Shard{2, 3}};
  const SessionResult result = RunSession(options).run(two_configs(), out);
  EXPECT_FALSE(result.complete);
  EXPECT_EQ(result.total.runs, 8U) << "one of the four units of each";
  EXPECT_EQ(error_of([&] { RunSession(options).load_configs({"none.toml"}); }), "shard 2/3: none.toml: no such file");
}

TEST(RunSession, RanksRecordShardsAndTheLastOneMerges) {
  const std::string out = fresh_folder("ranks");
  {
    const AsRank rank("0", "2");
    EXPECT_FALSE(RunSession({}).run(two_configs(), out).complete);
  }
  {
    const AsRank rank("1", "2");
    const RunSession session({});
    EXPECT_TRUE(session.is_silent());
    EXPECT_TRUE(session.run(two_configs(), out).complete);
  }
  const std::string alone = fresh_folder("alone");
  RunSession({}).run(two_configs(), alone);
  EXPECT_EQ(exported(out), exported(alone));
}

TEST(RunSession, AShardUnderMpirunIsRefused) {
  const AsRank rank("0", "3");
  EXPECT_EQ(error_of([] {
              RunSession({.shard = Shard{1, 3}});
            }),
            "shard 1/3 is given, and mpirun gives each of its 3 processes a shard; use only one");
}

TEST(MpiRank, IsReadFromTheEnvironment) {
  EXPECT_FALSE(mpi_rank());
  {
    const AsRank alone("0", "1");
    EXPECT_FALSE(mpi_rank());
  }
  {
    const AsRank second("1", "3");
    EXPECT_EQ(mpi_rank()->shard(), (Shard{2, 3}));
    EXPECT_GE(mpi_rank()->threads(), 1);
  }
  for (const char* wrong : {"3", "-1", "", "x"}) {
    const AsRank rank(wrong, "3");
    EXPECT_THROW(mpi_rank(), InputError) << wrong;
  }
}

TEST(StopOnSignal, TheFirstInterruptSetsTheFlagAndNotifies) {
  static std::atomic<int> notified;
  notified = 0;
  {
    const StopOnSignal signal([] { ++notified; });
    EXPECT_FALSE(signal.stop());
    std::raise(SIGINT);
    EXPECT_TRUE(signal.stop());
    EXPECT_EQ(notified, 1);
    EXPECT_EQ(std::signal(SIGINT, SIG_DFL), SIG_DFL) << "the next one ends the process";
  }
  const StopOnSignal next;
  EXPECT_FALSE(next.stop());
}

TEST(RunSession, StoppedItContinuesLater) {
  const std::string out = fresh_folder("stopped_session");
  const std::atomic<bool> stop{true};
  SessionOptions options{.stop = &stop};
  const SessionResult stopped = RunSession(options).run(two_configs(), out);
  EXPECT_TRUE(stopped.stopped);
  EXPECT_FALSE(stopped.complete);
  EXPECT_EQ(stopped.done.runs, 0U);
  EXPECT_TRUE(RunSession({}).run(two_configs(), out).complete);
}

}  // namespace
}  // namespace longrun
