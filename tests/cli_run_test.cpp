// `longrun run` as a process: killed, interrupted, sharded, exported.
#include <fcntl.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <signal.h>  // NOLINT(modernize-deprecated-headers): kill() is POSIX
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>
#include <thread>

#include "tests/scratch.h"

namespace longrun {
namespace {

namespace fs = std::filesystem;

struct Finished {
  int status = 0;
  std::string out;
  std::string err;
};

std::string content(const std::string& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

class RunProcess : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = scratch_path(::testing::UnitTest::GetInstance()->current_test_info()->name());
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }

  std::string path(const std::string& name) const { return folder_ + "/" + name; }

  void write_config(const std::string& name, int seeds) const {
    std::ofstream(path(name)) << fmt::format(R"(
bandits = ["inc_dec_3", "recommender_A"]
noise = ["none", "gaussian:0.05"]
policies = ["spo", "greedy", "exp3", "sw-ucb"]
horizons = {{from = 10, to = 3000, count = 20}}
seeds = {}
)",
                                             seeds);
  }

  /// Starts the binary with standard output and error in files.
  pid_t start(const std::vector<std::string>& arguments) const {
    const pid_t child = fork();
    if (child != 0) return child;
    const int out = open(path("stdout").c_str(), O_CREAT | O_WRONLY | O_TRUNC, 0644);
    const int err = open(path("stderr").c_str(), O_CREAT | O_WRONLY | O_TRUNC, 0644);
    dup2(out, STDOUT_FILENO);
    dup2(err, STDERR_FILENO);
    std::vector<std::string> words{LONGRUN_BINARY};
    words.insert(words.end(), arguments.begin(), arguments.end());
    std::vector<char*> raw;
    for (std::string& word : words) raw.push_back(word.data());
    raw.push_back(nullptr);
    execv(raw[0], raw.data());
    _exit(127);
  }

  Finished wait_for(pid_t child) const {
    int status = 0;
    waitpid(child, &status, 0);
    return {.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status),
            .out = content(path("stdout")),
            .err = content(path("stderr"))};
  }

  Finished run(const std::vector<std::string>& arguments) const { return wait_for(start(arguments)); }

  std::string exported(const std::string& folder) const {
    const Finished finished = run({"export", path(folder), "--csv"});
    EXPECT_EQ(finished.status, 0) << finished.err;
    return finished.out;
  }

  std::string folder_;
};

TEST_F(RunProcess, KilledAtAnyMomentItEndsWithTheSameExport) {
  write_config("e.toml", 40);
  ASSERT_EQ(run({"run", path("e.toml"), "--out", path("whole"), "--quiet"}).status, 0);
  const std::string expected = exported("whole");
  ASSERT_GT(std::count(expected.begin(), expected.end(), '\n'), 10'000);

  std::mt19937 random(1);
  int killed = 0;
  for (int attempt = 0; attempt < 400; ++attempt) {
    const pid_t child = start({"run", path("e.toml"), "--out", path("killed"), "--quiet", "--threads", "2"});
    // Early on kill within the first moments, so that twenty kills fit before it is done.
    std::this_thread::sleep_for(std::chrono::microseconds(random() % (killed < 20 ? 60'000 : 3'000'000)));
    kill(child, SIGKILL);
    const Finished finished = wait_for(child);
    if (finished.status == 0) break;
    ASSERT_EQ(finished.status, 128 + SIGKILL) << finished.err;
    ++killed;
  }
  EXPECT_GE(killed, 20);
  EXPECT_EQ(run({"run", path("e.toml"), "--out", path("killed"), "--quiet"}).status, 0);
  EXPECT_EQ(exported("killed"), expected);
}

TEST_F(RunProcess, InterruptedItSaysHowToGoOn) {
  write_config("e.toml", 4000);
  const pid_t child = start({"run", path("e.toml"), "--out", path("out"), "--quiet"});
  while (!fs::exists(path("out/records.sqlite"))) std::this_thread::sleep_for(std::chrono::milliseconds(5));
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  kill(child, SIGINT);
  const Finished finished = wait_for(child);
  EXPECT_EQ(finished.status, 130);
  EXPECT_NE(finished.err.find("the same command goes on from there"), std::string::npos) << finished.err;
}

TEST_F(RunProcess, ShardsMergeToTheSameExport) {
  write_config("e.toml", 3);
  ASSERT_EQ(run({"run", path("e.toml"), "--out", path("whole"), "--quiet"}).status, 0);
  for (const std::string shard : {"1/3", "2/3", "3/3"}) {
    ASSERT_EQ(
        run({"run", path("e.toml"), "--out", path("part" + shard.substr(0, 1)), "--shard", shard, "--quiet"}).status,
        0);
  }
  const Finished incomplete = run({"merge", path("part1"), path("part3"), "--out", path("bad")});
  EXPECT_EQ(incomplete.status, 2);
  EXPECT_NE(incomplete.err.find("shard 2/3 is missing"), std::string::npos) << incomplete.err;
  const Finished merged = run({"merge", path("part1"), path("part2"), path("part3"), "--out", path("merged")});
  ASSERT_EQ(merged.status, 0) << merged.err;
  EXPECT_EQ(exported("merged"), exported("whole"));
}

TEST_F(RunProcess, SummaryShowsMeanRegretsAndMarksTheBest) {
  write_config("e.toml", 3);
  ASSERT_EQ(run({"run", path("e.toml"), "--out", path("out")}).status, 0);
  const Finished summary = run({"summary", path("out"), "--horizons", "10,3000"});
  ASSERT_EQ(summary.status, 0) << summary.err;
  for (const char* part :
       {"e: inc_dec_3, noise none", "e: recommender_A, noise gaussian:0.05", "T = 3000", "sw-ucb", " *"}) {
    EXPECT_NE(summary.out.find(part), std::string::npos) << part << "\n" << summary.out;
  }
  EXPECT_EQ(run({"summary", path("out"), "--horizons", "11"}).status, 2);
}

TEST_F(RunProcess, ProgressOutsideATerminalIsPlainLines) {
  write_config("e.toml", 2);
  const Finished finished = run({"run", path("e.toml"), "--out", path("out")});
  EXPECT_EQ(finished.status, 0);
  EXPECT_NE(finished.err.find("e: 640 of 640 runs (100 %)"), std::string::npos) << finished.err;
  EXPECT_EQ(finished.err.find('\r'), std::string::npos);
}

TEST_F(RunProcess, BadInputIsOneLine) {
  write_config("e.toml", 2);
  const std::vector<std::vector<std::string>> wrong{
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
    const Finished finished = run(arguments);
    EXPECT_EQ(finished.status, 2) << fmt::format("{}", fmt::join(arguments, " ")) << "\n" << finished.err;
    EXPECT_EQ(finished.out, "");
    EXPECT_EQ(std::count(finished.err.begin(), finished.err.end(), '\n'), 1) << finished.err;
  }
}

}  // namespace
}  // namespace longrun
