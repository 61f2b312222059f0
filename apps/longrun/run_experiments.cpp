#include "apps/longrun/run_experiments.h"

#include <fmt/format.h>
#include <unistd.h>

#include <string_view>
#include <utility>

#include "apps/longrun/commands.h"
#include "apps/longrun/progress_line.h"
#include "longrun/base/input_error.h"
#include "longrun/base/parse_number.h"
#include "longrun/experiment/run_session.h"
#include "longrun/experiment/stop_on_signal.h"

namespace longrun {
namespace {

SessionOptions session_options(const RunFlags& flags) {
  SessionOptions options{.threads = flags.thread_count(), .restart = flags.restart, .on_message = say};
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
  add_flag(parser, "--timing", timing, "print on standard error where the time went");
}

int RunFlags::thread_count() const {
  constexpr int kMostThreads = 4096;
  if (!threads) return 0;
  const auto count = parse_number<int>(*threads);
  if (!count || *count < 1 || *count > kMostThreads)
    throw InputError(fmt::format("--threads {}: must be a whole number from 1 to {}", *threads, kMostThreads));
  return *count;
}

std::vector<Config> load_configs(const std::vector<std::string>& files, const RunFlags& flags) {
  return RunSession(session_options(flags)).load_configs(files);
}

bool run_experiments(const std::vector<Config>& configs, const std::string& out, const RunFlags& flags, Timing& timing,
                     std::function<void(const Config&, TaskPool&)> on_recorded) {
  const StopOnSignal signal(say_stopping);
  SessionOptions options = session_options(flags);
  std::optional<ProgressLine> line;
  options.stop = &signal.stop();
  options.timing = &timing;
  options.on_recorded = std::move(on_recorded);
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

void print_timing(const RunFlags& flags, const Timing& timing) {
  if (flags.timing) fmt::print(stderr, "{}", timing.text());
}

}  // namespace longrun
