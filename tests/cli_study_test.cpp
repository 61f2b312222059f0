// `longrun study` against a running `longrun serve`.
#include <gtest/gtest.h>
#include <signal.h>

#include <chrono>
#include <filesystem>
#include <optional>
#include <regex>
#include <string>
#include <thread>

#include "tests/cli_output.h"
#include "tests/scratch.h"

namespace longrun {
namespace {

/// `longrun serve` on a folder of the test. It is killed with the object, and can be killed and started again before.
class RunningService {
 public:
  RunningService() { start("0"); }
  ~RunningService() { kill_it(); }
  RunningService(const RunningService&) = delete;
  RunningService& operator=(const RunningService&) = delete;

  void kill_it() {
    if (!process_) return;
    ::kill(process_->id(), SIGKILL);
    process_->finished();
    process_.reset();
  }
  void start_again() { start(url_.substr(url_.rfind(':') + 1)); }
  const std::string& url() const { return url_; }
  Arguments command(Arguments arguments) const {
    arguments.insert(arguments.begin(), "study");
    arguments.insert(arguments.end(), {"--url", url_});
    return arguments;
  }
  std::string output_of(const Arguments& arguments) const { return output(command(arguments)); }
  Finished run(const Arguments& arguments, const std::string& input = "") const {
    return longrun_run(command(arguments), input);
  }

 private:
  void start(const std::string& port) {
    const std::string out = scratch_path("serve_out");
    std::filesystem::remove(out);
    const std::string data =
        scratch_path(std::string("data_") + testing::UnitTest::GetInstance()->current_test_info()->name());
    process_.emplace(longrun_command({"serve", "--data", data, "--port", port}), "", out);
    const std::regex address("http://127\\.0\\.0\\.1:[0-9]+");
    std::smatch found;
    std::string text;
    while (!std::filesystem::exists(out) || !std::regex_search(text = content(out), found, address)) {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    url_ = found.str();
  }

  std::optional<Process> process_;
  std::string url_;
};

void expect_study_refused(const Finished& run, const std::string& message, int code = 2) {
  EXPECT_EQ(run.code, code);
  EXPECT_TRUE(contains(run.err, message)) << run.err;
}

TEST(CommandLineStudy, AStudyFromAScript) {
  const RunningService service;
  EXPECT_EQ(service.output_of({"list"}), "");
  const Arguments create{"create", "lending", "--arms", "farms,\"shops, small\"", "--budget", "30", "--noise", "none"};
  EXPECT_EQ(service.output_of(create), "lending is created\n");
  EXPECT_EQ(service.output_of(create), "lending exists already, with these settings\n");
  EXPECT_EQ(service.output_of({"list"}), "lending\n");
  const Arguments decide{"decide", "lending", "--count", "2", "--key", "monday"};
  EXPECT_EQ(service.output_of(decide), "1\tfarms\n2\tshops, small\n");
  EXPECT_EQ(service.output_of(decide), "1\tfarms\n2\tshops, small\n");  // the same key
  EXPECT_EQ(service.output_of({"decide", "lending", "--among", "\"shops, small\""}), "3\tshops, small\n");
  EXPECT_EQ(service.output_of({"show", "lending"}),
            "lending: 3 of 30 units spent, 3 pending\n"
            "         1 pulls         1 pending  farms\n"
            "         2 pulls         2 pending  shops, small\n");
  const std::string good = written("good.csv", "decision,reward,kind\n1,0.5,\n2,,lost\n");
  EXPECT_EQ(service.output_of({"report", "lending", good, "--dry-run"}), "all rows would be accepted\n");
  EXPECT_EQ(service.output_of({"report", "lending", good}), "2 recorded, 0 known already\n");
  EXPECT_EQ(service.run({"report", "lending", "-"}, "decision,reward\n1,0.5\n3,0.25\n").out,
            "1 recorded, 1 known already\n");
  EXPECT_EQ(service.output_of({"audit", "lending"}),
            "5 events; the state agrees; 0 decisions would be made otherwise\n");
  const std::vector<std::string> lines = lines_of(service.output_of({"export", "lending"}));
  ASSERT_EQ(lines.size(), 6U);
  EXPECT_EQ(nlohmann::json::parse(lines[1])["key"], "monday");
  EXPECT_EQ(nlohmann::json::parse(service.output_of({"show", "lending", "--json"}))["pending"], 0);
}

TEST(CommandLineStudy, AKilledServerLosesNothingThatWasPrinted) {
  RunningService service;
  service.output_of({"create", "s", "--arms", "a,b", "--budget", "9"});
  EXPECT_EQ(service.output_of({"decide", "s"}), "1\ta\n");
  service.kill_it();
  const Process waiting(longrun_command(service.command({"decide", "s"})), "", scratch_path("waiting"));
  service.start_again();
  const Finished run = waiting.finished();
  EXPECT_EQ(run.code, 0) << run.err;
  EXPECT_TRUE(run.out.starts_with("2\t")) << run.out;
  EXPECT_TRUE(contains(service.output_of({"show", "s"}), "s: 2 of 9 units spent, 2 pending\n"));
}

TEST(CommandLineStudy, PrintsADecisionPerLineWhateverTheNames) {
  const RunningService service;
  service.output_of({"create", "s", "--arms", "a\nb", "--budget", "9"});
  EXPECT_EQ(service.output_of({"decide", "s"}), "1\ta b\n");
  const std::string again = service.output_of({"decide", "s", "--json"});
  EXPECT_EQ(nlohmann::json::parse(again)["decisions"][0]["arm"], "a\nb");
}

TEST(CommandLineStudy, RefusesMistakes) {
  const RunningService service;
  service.output_of({"create", "s", "--arms", "farms,shops", "--budget", "9"});
  service.output_of({"decide", "s"});
  expect_study_refused(service.run({"crate", "s"}), "action 'crate' is unknown; did you mean 'create'?");
  expect_study_refused(service.run({"decide"}), "NAME: missing; give the name of the study");
  expect_study_refused(service.run({"decide", "t"}), "there is no study 't'");
  expect_study_refused(service.run({"decide", "s", "--count", "0"}),
                       "--count 0: must be a whole number from 1 to 100000");
  expect_study_refused(service.run({"decide", "s", "--among", "farm"}), "arm 'farm' is not an arm of the study");
  expect_study_refused(service.run({"create", "x", "--budget", "9"}), "--arms: missing");
  expect_study_refused(service.run({"create", "x", "--arms", "a,b"}), "--budget: missing");
  expect_study_refused(service.run({"create", "x y", "--arms", "a", "--budget", "9"}),
                       "name: 'x y' is not 1 to 64 letters");
  expect_study_refused(service.run({"create", "s", "--arms", "a", "--budget", "9"}),
                       "there is another study 's' already");
  expect_study_refused(service.run({"report", "s"}), "FILE: missing");
  expect_study_refused(service.run({"report", "s", "absent.csv"}), "absent.csv: cannot be read");
  const Finished dry = service.run({"report", "s", "-", "--dry-run"}, "decision,reward\n1,50\n7,0.5\n");
  expect_study_refused(dry, "-: 2 rows would be refused");
  EXPECT_TRUE(contains(dry.out, "row 2: there is no decision 7; the last one is 1\n")) << dry.out;
  expect_study_refused(service.run({"report", "s", "-"}, "decision,reward\n1,x\n"), "line 2, column 2");
  expect_study_refused(longrun_run({"study", "list", "--url", "localhost"}), "URL 'localhost': must be one such as");
  EXPECT_TRUE(contains(service.output_of({"show", "s"}), "s: 1 of 9 units spent, 1 pending\n"));
}

}  // namespace
}  // namespace longrun
