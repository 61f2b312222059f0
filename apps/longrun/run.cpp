#include <fmt/format.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <memory>
#include <vector>

#include "apps/longrun/commands.h"
#include "longrun/base/input_error.h"
#include "longrun/base/parse_number.h"
#include "longrun/experiment/engine.h"

namespace longrun {
namespace {

struct RunCommandOptions {
  std::vector<std::string> files;
  std::optional<std::string> out;
  std::optional<std::string> threads;
  std::optional<std::string> shard;
  bool restart = false;
  bool quiet = false;
};

std::atomic<bool> interrupted{false};

/// The first Ctrl-C asks to stop; a second one is not caught any more.
void stop_when_interrupted() {
  std::signal(SIGINT, [](int) {
    interrupted = true;
    std::signal(SIGINT, SIG_DFL);
  });
}

std::string readable(double count) {
  if (count >= 1e9) return fmt::format("{:.2f} G", count / 1e9);
  if (count >= 1e6) return fmt::format("{:.2f} M", count / 1e6);
  if (count >= 1e4) return fmt::format("{:.1f} k", count / 1e3);
  return fmt::format("{:.0f} ", count);
}

/// One line that is rewritten on a terminal, a line every few seconds elsewhere.
class ProgressLine {
 public:
  ProgressLine(std::string name, bool quiet)
      : name_(std::move(name)), quiet_(quiet), terminal_(isatty(STDERR_FILENO) == 1) {}

  void show(const Progress& progress) {
    const auto now = Clock::now();
    const bool complete = progress.runs_done == progress.runs_total;
    if (quiet_ || (!complete && now - shown_ < (terminal_ ? std::chrono::milliseconds(200) : std::chrono::seconds(5))))
      return;
    shown_ = now;
    const double seconds = std::chrono::duration<double>(now - started_).count();
    const auto fresh_runs = static_cast<double>(progress.runs_done - progress.runs_before);
    const double share = progress.runs_total == 0
                             ? 1
                             : static_cast<double>(progress.runs_done) / static_cast<double>(progress.runs_total);
    const double fresh_steps = fresh_runs * static_cast<double>(progress.steps_total) /
                               static_cast<double>(std::max<std::uint64_t>(1, progress.runs_total));
    const double left =
        fresh_runs > 0 ? static_cast<double>(progress.runs_total - progress.runs_done) * seconds / fresh_runs : 0;
    std::string line = fmt::format("{}: {} of {} runs ({:.0f} %), {}runs/s, {}steps/s", name_, progress.runs_done,
                                   progress.runs_total, 100 * share, readable(fresh_runs / std::max(seconds, 1e-9)),
                                   readable(fresh_steps / std::max(seconds, 1e-9)));
    line += complete ? fmt::format(", {:.1f} s", seconds) : fmt::format(", {:.0f} s left", left);
    if (terminal_) {
      fmt::print(stderr, "\r{:<100}{}", line, complete ? "\n" : "");
    } else {
      fmt::print(stderr, "{}\n", line);
    }
  }

 private:
  using Clock = std::chrono::steady_clock;
  std::string name_;
  bool quiet_;
  bool terminal_;
  Clock::time_point started_ = Clock::now();
  Clock::time_point shown_{};
};

int parse_threads(const std::optional<std::string>& text) {
  if (!text) return 0;
  const auto threads = parse_number<int>(*text);
  if (!threads || *threads < 1 || *threads > 4096)
    throw InputError(fmt::format("--threads {}: must be a whole number from 1 to 4096", *text));
  return *threads;
}

void run(const RunCommandOptions& options) {
  if (options.files.empty()) throw InputError("name at least one FILE.toml to run");
  if (!options.out) throw InputError("--out DIR is required: the folder that takes the records");
  RunOptions engine{.threads = parse_threads(options.threads),
                    .shard = options.shard ? parse_shard(*options.shard) : Shard{},
                    .restart = options.restart,
                    .on_progress = {},
                    .stop = &interrupted};
  std::vector<Config> configs;
  for (const std::string& file : options.files) {
    configs.push_back(load_config(file));
    for (std::size_t before = 0; before + 1 < configs.size(); ++before) {
      if (configs[before].name == configs.back().name)
        throw InputError(fmt::format("{}: experiment '{}' is named twice", file, configs.back().name));
    }
  }
  Store store(*options.out, Store::Access::write);
  stop_when_interrupted();
  for (const Config& config : configs) {
    ProgressLine line(config.name, options.quiet);
    engine.on_progress = [&](const Progress& progress) { line.show(progress); };
    const Progress progress = run_experiment(config, store, engine);
    if (progress.runs_done < progress.runs_total) {
      throw Interrupted(fmt::format("stopped: {} of {} runs of '{}' are recorded; the same command goes on from there",
                                    progress.runs_done, progress.runs_total, config.name));
    }
  }
}

}  // namespace

Command add_run(CLI::App& app) {
  CLI::App* parser = app.add_subcommand("run", "Run experiments from TOML files and record every run");
  parser->footer(
      "Records go to DIR/records.sqlite as they are made. Whatever stops a run, the same command goes on from there. "
      "The\n"
      "records do not depend on the number of threads. experiments/README.md explains the file format.\n\n"
      "Examples:\n"
      "  longrun check experiments/figure_1.toml                      how much work it is\n"
      "  longrun run experiments/figure_1.toml --out results          do it\n"
      "  longrun run experiments/*.toml --out part2 --shard 2/8       one part of eight, for another machine\n"
      "  longrun summary results                                      look at it");
  const auto options = std::make_shared<RunCommandOptions>();
  parser->add_option("FILE.toml", options->files, "experiments to run");
  add_value(*parser, "--out", "DIR", options->out, "folder that takes the records; required");
  add_value(*parser, "--threads", "N", options->threads, "how many threads compute (default: one per core)");
  add_value(*parser, "--shard", "i/n", options->shard, "compute only part i of n; 'longrun merge' joins the parts");
  add_flag(*parser, "--restart", options->restart, "drop what DIR has recorded of these experiments");
  add_flag(*parser, "--quiet", options->quiet, "no progress on standard error");
  return {parser, [options] { run(*options); }};
}

}  // namespace longrun
