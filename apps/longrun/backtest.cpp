#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <cmath>
#include <memory>
#include <string_view>

#include "apps/longrun/commands.h"
#include "apps/longrun/page_option.h"
#include "apps/longrun/progress_line.h"
#include "apps/longrun/question_options.h"
#include "longrun/base/cancellation.h"
#include "longrun/base/input_error.h"
#include "longrun/base/parse_number.h"
#include "longrun/base/write_file.h"
#include "longrun/data/csv_history.h"
#include "longrun/experiment/stop_on_signal.h"
#include "longrun/report/advice/backtest_figure.h"
#include "longrun/report/advice/backtest_json.h"
#include "longrun/report/advice/backtest_page.h"
#include "longrun/report/advice/backtest_report.h"

namespace longrun {
namespace {

constexpr int kMostBacktestThreads = 4096;

struct BacktestFlags {
  HistoryOptions log;
  std::optional<std::string> horizon;
  std::optional<std::string> policies;
  std::optional<std::string> replicates;
  std::optional<std::string> resamples;
  std::optional<std::string> choices;
  std::optional<std::string> seed;
  std::optional<std::string> threads;
  std::optional<std::string> export_file;
  std::optional<std::string> plot;
  std::optional<std::string> report;
  bool json = false;
  bool csv = false;
  bool quiet = false;
};

/// Reads the log and, if `bytes` is not null, copies its file into it.
BacktestSpec spec_of(const BacktestFlags& flags, std::string* bytes) {
  if (flags.csv && flags.json) throw InputError("give one of --csv and --json");
  if (flags.choices && *flags.choices != "random") {
    throw InputError(
        fmt::format("--choices {}: must be random; without it nothing is assumed about how the arms of "
                    "the log were chosen",
                    *flags.choices));
  }
  BacktestSpec spec;
  if (flags.horizon) spec.horizon = parse_horizon(*flags.horizon);
  if (flags.policies) {
    spec.policies = parse_policies(*flags.policies);
  } else {
    for (const std::string_view policy : kBacktestPolicies) spec.policies.emplace_back(policy);
  }
  if (flags.replicates)
    spec.replicates = parse_whole<std::uint32_t>("--replicates", *flags.replicates, 1, kMostRepeats);
  if (flags.resamples && *flags.resamples != "0")
    spec.resamples =
        parse_whole<std::uint32_t>("--resamples", *flags.resamples, kFewestResamples, kMostRepeats, ", or 0");
  if (flags.resamples == "0") spec.resamples = 0;
  if (flags.seed) {
    const auto seed = parse_number<std::uint64_t>(*flags.seed);
    if (!seed) throw InputError(fmt::format("--seed {}: must be a whole number >= 0 and below 2^64", *flags.seed));
    spec.seed = *seed;
  }
  spec.random_choices = flags.choices.has_value();
  spec.keep_outliers = flags.log.keep_outliers;
  if (!flags.log.history) throw InputError("the log is missing; give --history FILE.csv");
  spec.scale = flags.log.read_scale();
  try {
    spec.history = flags.log.read_history(bytes);
  } catch (const NoRowsError& error) {
    throw InputError(
        fmt::format("{}: has no rows after the header; a backtest needs past pulls and rewards", error.path()));
  }
  flags.log.check({.history = spec.history, .scale = spec.scale});
  for (const std::string& warning : spec.history.warnings) say(warning);
  return spec;
}

// ---- the run

Backtest run_with_progress(const BacktestSpec& spec, const BacktestFlags& flags) {
  const StopOnSignal signal;
  BacktestOptions options{.stop = &signal.stop()};
  if (flags.threads) options.threads = parse_whole<int>("--threads", *flags.threads, 1, kMostBacktestThreads);
  std::optional<ProgressLine> line;
  if (!flags.quiet) line.emplace("");
  options.on_progress = [&](const BacktestProgress& progress) {
    if (!line) return;
    SessionProgress shown;
    shown.experiment = "backtest";
    shown.done = {.runs = progress.runs_done, .steps = progress.steps_done};
    shown.total = {.runs = progress.runs_total, .steps = progress.steps_total};
    line->show(shown);
  };
  try {
    return backtest(spec, options);
  } catch (const Cancelled&) {
    throw Interrupted("stopped; a backtest keeps nothing, so the same command starts again");
  }
}

void print(const BacktestFlags& flags, const BacktestSpec& spec, const Backtest& result) {
  if (flags.json) return fmt::print("{}", backtest_json(spec, result));
  if (!flags.csv) return fmt::print("{}", backtest_text(spec, result));
  for (const std::string& warning : backtest_warnings(spec, result)) say("note: " + warning);
  fmt::print("{}", backtest_csv(result));
}

void run_backtest(const CLI::App& parser, const BacktestFlags& flags) {
  if (flags.plot) check_picture_kind(*flags.plot);
  if (flags.report) check_page_path(*flags.report, flags.log.history);
  std::string log;
  const BacktestSpec spec = spec_of(flags, flags.report ? &log : nullptr);
  if (flags.export_file) check_steps_kept("--export", spec.horizon);
  const Backtest result = run_with_progress(spec, flags);
  print(flags, spec, result);
  std::fflush(stdout);  // the answer must not wait for the files, nor be lost with them
  write_each({[&] {
                if (!flags.export_file) return;
                check_folder_of(*flags.export_file);
                write_file(*flags.export_file, backtest_curves_csv(result));
              },
              [&] {
                if (!flags.report) return;
                write_page(*flags.report,
                           backtest_page(spec, result, page_origin(parser, flags.log.history, std::move(log))));
              },
              [&] {
                if (flags.plot) draw_backtest(spec, result, *flags.plot);
              }});
}

}  // namespace

Command add_backtest(CLI::App& app) {
  CLI::App* parser = add_subcommand(
      app, "backtest", "Compare policies on a bandit that is fitted to a log of past pulls",
      "The log is a CSV file with the header arm,reward and one row per pull, as for 'longrun recommend'. A curve "
      "that\n"
      "rises and then may fall is fitted to the rewards of each arm, and the policies are simulated on these curves.\n"
      "Intervals of 80 % come from logs that are resampled from the fit. docs/backtest.md explains the method, and "
      "what\n"
      "a log cannot tell.\n\n"
      "Examples:\n"
      "  longrun backtest --history datasets/example_log.csv\n"
      "  longrun backtest --history datasets/example_log.csv --horizon 300 --policies spo,sw-ucb:window=50\n"
      "  longrun backtest --history datasets/example_log.csv --choices random --plot backtest.svg\n"
      "  longrun backtest --history sales.csv --scale 0:250 --export curves.csv --json");
  const auto flags = std::make_shared<BacktestFlags>();
  flags->log.add_to(*parser);
  add_value(*parser, "--horizon", "T", flags->horizon, "pulls of each simulated run (default: those of the log)");
  add_value(*parser, "--policies", "A,B,...", flags->policies,
            fmt::format("policies, see 'longrun policies' (default:\n{})", fmt::join(kBacktestPolicies, ",")));
  add_value(*parser, "--choices", "random", flags->choices,
            "the arms of the log were chosen uniformly at random: test\n"
            "this, and replay the log by rejection as well");
  add_value(*parser, "--replicates", "R", flags->replicates,
            fmt::format("simulated runs of each policy (default: {})", BacktestSpec{}.replicates));
  add_value(*parser, "--resamples", "B", flags->resamples,
            fmt::format("resampled logs, for intervals (default: {}); 0: none", BacktestSpec{}.resamples));
  add_value(*parser, "--seed", "S", flags->seed,
            "whole number >= 0 that determines all random numbers\n"
            "(default: 0)");
  add_value(*parser, "--threads", "N", flags->threads,
            "number of threads (default: one per core); the result\n"
            "does not depend on it");
  add_value(*parser, "--export", "FILE.csv", flags->export_file,
            "write the fitted curves, on the scale from 0 to 1, as\n"
            "'longrun play --curves' reads them");
  add_value(*parser, "--plot", "FILE", flags->plot,
            "draw the log, the fitted curves and the policies into a\n"
            ".svg, .pdf or .png file");
  add_value(*parser, "--report", "FILE.html", flags->report, "write one page to share, as 'longrun recommend' does");
  add_flag(*parser, "--csv", flags->csv, "print CSV, one row per policy");
  add_flag(*parser, "--json", flags->json, "print JSON instead of text");
  add_flag(*parser, "--quiet", flags->quiet, "no progress on standard error");
  return {parser, [parser, flags] { run_backtest(*parser, *flags); }};
}

}  // namespace longrun
