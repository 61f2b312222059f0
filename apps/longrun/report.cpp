// The subcommands `report` and `reproduce`.
#include "longrun/report/report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <filesystem>
#include <memory>
#include <utility>

#include "apps/longrun/commands.h"
#include "apps/longrun/run_experiments.h"
#include "longrun/experiment/paper.h"

namespace longrun {
namespace {

void add_axis_flags(CLI::App& parser, GnuplotOptions& figures) {
  add_flag(parser, "--log-horizon", figures.log_horizon, "logarithmic horizons in the figures for print");
  add_flag(parser, "--log-regret", figures.log_regret, "logarithmic regrets in the figures for print");
}

/// Shows the current stage on standard error, if that is a terminal.
void show_stage(const std::string& stage) {
  if (isatty(STDERR_FILENO) == 1) fmt::print(stderr, "\r{:<60}\r", stage);
}

/// Writes the report and prints what it consists of.
void finish_report(ReportWriter& writer, bool quiet) {
  const WrittenReport written = writer.finish();
  if (!quiet) show_stage("");
  if (!written.drawn) say_undrawn(written.figure_folder, "'longrun report'");
  fmt::print("figures   {}: {}\n", written.figure_folder, fmt::join(written.figures, ", "));
  if (!written.claims.empty()) fmt::print("claims    {}\n", written.claims);
  fmt::print("report    {}   (open it in a browser)\n", std::filesystem::absolute(written.page).string());
}

struct ReproduceOptions {
  std::vector<std::string> figures;
  std::optional<std::string> out;
  bool quick = false;
  RunFlags run;
  ReportOptions report;
};

void reproduce(const ReproduceOptions& options) {
  Timing timing;
  std::vector<Config> configs = paper_configs(options.figures);
  if (options.quick) {
    for (Config& config : configs) config = shortened(std::move(config));
  }
  const std::string out = options.out.value_or(options.quick ? "reproduction-quick" : "reproduction");
  ReportOptions report = options.report;
  report.threads = options.run.thread_count();
  report.timing = &timing;
  if (!options.run.quiet) report.on_progress = show_stage;
  ReportWriter writer(out, std::move(report));  // draws experiments that are complete while others are computed
  const auto draw = [&](const Config& config, TaskPool& pool) { writer.add(config.name, pool); };
  if (run_experiments(configs, out, options.run, timing, draw)) finish_report(writer, options.run.quiet);
  print_timing(options.run, timing);
}

}  // namespace

void say_undrawn(const std::string& folder, const std::string& again) {
  say(fmt::format(
      "gnuplot is not installed, so {} has scripts but no pictures; install gnuplot and run {} to draw them", folder,
      again));
}

Command add_report(CLI::App& app) {
  struct Options {
    std::string directory;
    std::optional<std::string> out;
    ReportOptions report;
  };
  CLI::App* parser = add_subcommand(
      app, "report", "Draw the records of experiments: a page and figures for print",
      "Writes report.html, one page that needs no network, and figures/: SVG, PDF and PNG files, with the gnuplot\n"
      "scripts and data from which they are made. If experiments have checks, also writes reproduction.md.\n\n"
      "Examples:\n"
      "  longrun run mine.toml --out results && longrun report results\n"
      "  longrun report archive --out report");
  const auto options = std::make_shared<Options>();
  add_argument(*parser, "DIR", options->directory, "folder with the records that 'longrun run' wrote");
  add_value(*parser, "--out", "OTHER", options->out, "folder to write to (default: DIR); DIR may then be read-only");
  add_axis_flags(*parser, options->report.figures);
  return {parser, [options] {
            ReportOptions report = options->report;
            report.out = options->out.value_or("");
            report.on_progress = show_stage;
            ReportWriter writer(options->directory, std::move(report));
            finish_report(writer, false);
          }};
}

Command add_reproduce(CLI::App& app) {
  CLI::App* parser = add_subcommand(
      app, "reproduce", "Compute every figure of the paper and draw it, with a page to look at",
      fmt::format("Figures: {}.\n\nThe paper has 100 horizons and 30 seeds per figure; --quick runs 20 horizons and 5 "
                  "seeds. After an\ninterruption, the same command continues where it stopped.\n\n"
                  "Examples:\n  longrun reproduce\n  longrun reproduce figure_1 --quick\n"
                  "  longrun reproduce fico_score_change fico_utility --out lending",
                  fmt::join(paper_experiment_names(), ", ")));
  const auto options = std::make_shared<ReproduceOptions>();
  add_arguments(*parser, "FIGURE", options->figures, "figures to compute (default: all)");
  add_value(*parser, "--out", "DIR", options->out,
            "folder to write to (default: reproduction; with --quick\nreproduction-quick)");
  add_flag(*parser, "--quick", options->quick, "a first look: fewer horizons and seeds");
  options->run.add_to(*parser);
  add_axis_flags(*parser, options->report.figures);
  return {parser, [options] { reproduce(*options); }};
}

}  // namespace longrun
