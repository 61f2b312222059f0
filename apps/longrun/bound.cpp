#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <iostream>
#include <system_error>

#include "apps/longrun/commands.h"
#include "longrun/base/input_error.h"
#include "longrun/base/read_file.h"
#include "longrun/decide/bound_question.h"

namespace longrun {
namespace {

/// Returns whether standard input is not a file, so that a program may wait for an answer before it sends the next
/// line.
bool input_is_interactive() {
  struct stat status {};
  return fstat(STDIN_FILENO, &status) == 0 && !S_ISREG(status.st_mode);
}

/// Answers each line before it reads the next, so that another program can send lines and read answers in turn through
/// two pipes. An error ends the command after the answers to the lines before it.
void run_bound() {
  const bool flush = input_is_interactive();
  std::string line;
  errno = 0;
  for (std::size_t number = 1; std::getline(std::cin, line); ++number) {
    if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
    std::string answered;
    try {
      answered = bound_answer(line);
    } catch (const InputError& error) {
      throw InputError(fmt::format("{}, line {}: {}", kStandardInput, number, error.what()));
    }
    fmt::print("{}\n", answered);
    if (flush && std::fflush(stdout) != 0) throw std::system_error(errno, std::generic_category());
  }
  if (std::cin.bad()) throw_unreadable(kStandardInput, errno);
}

}  // namespace

Command add_bound(CLI::App& app) {
  CLI::App* parser = add_subcommand(
      app, "bound", "Compute an upper bound of an arm's future reward from its past",
      "Reads one JSON object per line on standard input: the mean reward of past pull j of an arm, from\n"
      "pull 0, is between lower[j] and upper[j], and 'remaining' pulls follow. Writes one JSON object\n"
      "per line, before it reads the next: the largest total reward of the remaining pulls if the arm's\n"
      "mean rewards are in [0, 1] and rise ever more slowly; null if no such rewards exist, because the\n"
      "arm has begun to fall, or because an interval has no number in [0, 1], which 'reason' then names.\n"
      "This is the linear program that spo solves.\n\n"
      "Examples:\n"
      "  echo '{\"lower\": [0.1, 0.3], \"upper\": [0.2, 0.4], \"remaining\": 10}' | longrun bound\n"
      "  longrun bound < questions.jsonl > bounds.jsonl");
  return {parser, run_bound};
}

}  // namespace longrun
