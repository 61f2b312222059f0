#pragma once

// `longrun serve` as a process, and `longrun study` with its address.
#include <signal.h>  // NOLINT(modernize-deprecated-headers): kill() is POSIX

#include <chrono>
#include <filesystem>
#include <optional>
#include <regex>
#include <string>
#include <thread>
#include <utility>

#include "tests/cli_output.h"
#include "tests/scratch.h"

namespace longrun {

/// `longrun serve` on a folder of the test. It is killed with the object, and can be killed and started again before.
class RunningService {
 public:
  /// `more` are further options of `serve`.
  explicit RunningService(Arguments more = {}) : more_(std::move(more)) { start("0"); }
  ~RunningService() { kill_it(); }
  RunningService(const RunningService&) = delete;
  RunningService& operator=(const RunningService&) = delete;

  /// Returns the folder of a service of this test.
  static std::string folder() {
    return scratch_path(std::string("data_") + testing::UnitTest::GetInstance()->current_test_info()->name());
  }
  void kill_it() {
    if (!process_) return;
    ::kill(process_->id(), SIGKILL);
    process_->finished();
    process_.reset();
  }
  void start_again() { start(port()); }
  void send_signal(int signal) const { ::kill(process_->id(), signal); }
  /// Waits for the end of the process.
  Finished finished() {
    Finished end = process_->finished();
    process_.reset();
    return end;
  }
  const std::string& url() const { return url_; }
  std::string port() const { return url_.substr(url_.rfind(':') + 1); }
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
    Arguments arguments{"serve", "--data", folder(), "--port", port};
    arguments.insert(arguments.end(), more_.begin(), more_.end());
    process_.emplace(longrun_command(arguments), "", out);
    const std::regex address(R"(https?://127\.0\.0\.1:[0-9]+)");
    std::smatch found;
    std::string text;
    while (!std::filesystem::exists(out) || !std::regex_search(text = content(out), found, address)) {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    url_ = found.str();
  }

  Arguments more_;
  std::optional<Process> process_;
  std::string url_;
};

}  // namespace longrun
