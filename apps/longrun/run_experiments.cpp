#include "apps/longrun/run_experiments.h"

#include <fmt/format.h>
#include <unistd.h>

#include <string_view>

#include "apps/longrun/commands.h"
#include "apps/longrun/progress_line.h"
#include "longrun/base/input_error.h"
#include "longrun/base/parse_number.h"
#include "longrun/experiment/run_session.h"
#include "longrun/experiment/stop_on_signal.h"

namespace longrun {
namespace {

constexpr int kMostThreads = 4096;

int parse_threads(const std::optional<std::string>& text) {
  if (!text) return 0;
  const auto threads = parse_number<int>(*text);
  if (!threads || *threads < 1 || *threads > kMostThreads)
    throw InputError(fmt::format("--threads {}: must be a whole number from 1 to {}", *text, kMostThreads));
  return *threads;
}

SessionOptions session_options(const RunFlags& flags) {
  SessionOptions options{.threads = parse_threads(flags.threads), .restart = flags.restart, .on_message = say};
  if (flags.shard) options.shard = parse_shard(*flags.shard);
  return options;
}

/// Returns "shard 2/8" and the separator, or an empty text if this process computes all units.
std::string shard_prefix(const Shard& shard, std::string_view separator) {
  return shard.is_whole() ? "" : fmt::format("shard {}{}", to_text(shard), separator);
}

/// Prints that the command stops. Runs in a signal handler, so it only calls write().
void say_stopping() {
  constexpr std::string_view kStopping = "\nstopping; press Ctrl-C again to stop at once\n";
  [[maybe_unused]] const auto written = ::write(STDERR_FILENO, kStopping.data(), kStopping.size());
}

}  // namespace

void RunFlags::add_to(CLI::App& parser) {
  add_value(parser, "--threads", "N", threads,
            "number of threads (default: one per core; processes of\nmpirun on one machine share its cores)");
  add_value(parser, "--shard", "i/n", shard, "compute only part i of n; 'longrun merge' joins the parts");
  add_flag(parser, "--restart", restart,
           "drop the records that DIR has of these experiments;\nan unusable records.sqlite is renamed");
  add_flag(parser, "--quiet", quiet, "no progress on standard error");
}

std::vector<Config> load_configs(const std::vector<std::string>& files, const RunFlags& flags) {
  return RunSession(session_options(flags)).load_configs(files);
}

bool run_experiments(const std::vector<Config>& configs, const std::string& out, const RunFlags& flags) {
  const StopOnSignal signal(say_stopping);
  SessionOptions options = session_options(flags);
  std::optional<ProgressLine> line;
  options.stop = &signal.stop();
  options.on_progress = [&](const SessionProgress& progress) {
    if (line) line->show(progress);
  };
  const RunSession session(std::move(options));
  if (!flags.quiet && !session.is_silent()) line.emplace(shard_prefix(session.shard(), ", "));
  const SessionResult result = session.run(configs, out);
  line.reset();
  if (result.stopped) {
    throw Interrupted(fmt::format("{}stopped: {} of {} runs are recorded; the same command{} continues from there",
                                  shard_prefix(session.shard(), ": "), result.done.runs, result.total.runs,
                                  flags.restart ? " without --restart" : ""));
  }
  return result.complete;
}

}  // namespace longrun
