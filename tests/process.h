#pragma once

// Runs programs as users do, and returns their output, errors and exit code.
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "tests/paths.h"
#include "tests/scratch.h"

namespace longrun {

using Arguments = std::vector<std::string>;

/// The result of a finished process.
struct Finished {
  int code = -1;  ///< 128 + the signal that ended it, as in a shell
  std::string out;
  std::string err;
};

/// A running program whose standard streams are files; `out` may be a device.
class Process {
 public:
  explicit Process(const Arguments& command, const std::string& input = "", std::string out = scratch_path("stdout"))
      : out_(std::move(out)) {
    const std::string in = written("stdin", input);
    std::vector<char*> argv;
    for (const std::string& argument : command) argv.push_back(const_cast<char*>(argument.c_str()));
    argv.push_back(nullptr);
    id_ = fork();
    if (id_ != 0) return;
    redirect(STDIN_FILENO, in, O_RDONLY);
    redirect(STDOUT_FILENO, out_, O_WRONLY | O_CREAT | O_TRUNC);
    redirect(STDERR_FILENO, err_, O_WRONLY | O_CREAT | O_TRUNC);
    execv(argv[0], argv.data());
    _exit(127);
  }

  pid_t id() const { return id_; }
  /// Waits for the end of the process.
  Finished finished() const {
    int status = 0;
    waitpid(id_, &status, 0);
    return {WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), content(out_), content(err_)};
  }

 private:
  static void redirect(int stream, const std::string& path, int flags) {
    const int file = open(path.c_str(), flags, 0600);
    if (file < 0 || dup2(file, stream) < 0) _exit(126);
    close(file);
  }

  std::string out_;
  std::string err_ = scratch_path("stderr");
  pid_t id_ = -1;
};

/// Returns the command that runs the binary with these arguments.
inline Arguments longrun_command(Arguments arguments) {
  arguments.insert(arguments.begin(), kBinary);
  return arguments;
}

inline Finished longrun_run(const Arguments& arguments, const std::string& input = "") {
  return Process(longrun_command(arguments), input).finished();
}

/// Returns the arguments of `longrun play` with a bandit and a policy, followed by `more`.
inline Arguments playing(const Arguments& more) {
  Arguments arguments{"play", "--bandit", "inc_1", "--policy", "spo"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

}  // namespace longrun
