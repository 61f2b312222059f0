// What makes pictures: report, reproduce.
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

struct FigureFlags {
  bool log_horizon = false;
  bool log_regret = false;

  void add_to(CLI::App& parser) {
    add_flag(parser, "--log-horizon", log_horizon, "logarithmic horizons in the static figures");
    add_flag(parser, "--log-regret", log_regret, "logarithmic regrets in the static figures");
  }
};

/// Says on standard error what is being done, where somebody may be watching.
void show_stage(const std::string& stage) {
  if (isatty(STDERR_FILENO) == 1) fmt::print(stderr, "\r{:<60}\r", stage);
}

void make_report(const std::string& directory, const FigureFlags& flags, bool quiet) {
  ReportOptions options{.figures = {.log_horizon = flags.log_horizon, .log_regret = flags.log_regret}};
  if (!quiet) options.on_progress = show_stage;
  const WrittenReport written = write_report(directory, options);
  if (!quiet) show_stage("");
  if (!written.drawn) say_undrawn("figures/", "'longrun report'");
  fmt::print("figures   {}/figures: {}\n", directory, fmt::join(written.figures, ", "));
  if (!written.replication.empty()) fmt::print("claims    {}\n", written.replication);
  fmt::print("report    {}   (open it in a browser)\n", std::filesystem::absolute(written.page).string());
}

// ---- reproduce

struct ReproduceOptions {
  std::vector<std::string> figures;
  std::optional<std::string> out;
  bool quick = false;
  RunFlags run;
  FigureFlags figure;
};

void reproduce(const ReproduceOptions& options) {
  std::vector<Config> configs = paper_configs(options.figures);
  if (options.quick) {
    for (Config& config : configs) config = shortened(std::move(config));
  }
  const std::string out = options.out.value_or(options.quick ? "reproduction-quick" : "reproduction");
  if (run_experiments(configs, out, options.run)) make_report(out, options.figure, options.run.quiet);
}

}  // namespace

void say_undrawn(const std::string& folder, const std::string& again) {
  say(fmt::format("gnuplot is not installed, so {} has its scripts but no pictures; with gnuplot, {} draws them",
                  folder, again));
}

Command add_report(CLI::App& app) {
  struct Options {
    std::string directory;
    FigureFlags figure;
  };
  CLI::App* parser = add_subcommand(
      app, "report", "Draw the records of experiments: a page and figures for print",
      "Writes DIR/report.html, one page that needs no network, and DIR/figures: SVG, PDF and PNG, with the gnuplot "
      "scripts\n"
      "and data they are made from, to restyle them. Where experiments have checks, also DIR/reproduction.md.\n\n"
      "Examples:\n"
      "  longrun run mine.toml --out results && longrun report results");
  const auto options = std::make_shared<Options>();
  add_argument(*parser, "DIR", options->directory, "folder that 'longrun run' filled");
  options->figure.add_to(*parser);
  return {parser, [options] { make_report(options->directory, options->figure, false); }};
}

Command add_reproduce(CLI::App& app) {
  CLI::App* parser = add_subcommand(
      app, "reproduce", "Every figure of the paper, computed here, with a page to look at",
      fmt::format("Figures: {}.\n\nThe paper has 100 horizons and 30 seeds per figure. --quick takes 20 and 5. What "
                  "stops it does not\n"
                  "matter: the same command goes on from there.\n\nExamples:\n  longrun reproduce\n  longrun reproduce "
                  "figure_1 --quick\n"
                  "  longrun reproduce fico_score_change fico_utility --out lending",
                  fmt::join(paper_experiment_names(), ", ")));
  const auto options = std::make_shared<ReproduceOptions>();
  add_arguments(*parser, "FIGURE", options->figures, "which of them (default: all)");
  add_value(*parser, "--out", "DIR", options->out, "folder that takes everything (default: reproduction)");
  add_flag(*parser, "--quick", options->quick, "a first look: fewer horizons and seeds");
  options->run.add_to(*parser);
  options->figure.add_to(*parser);
  return {parser, [options] { reproduce(*options); }};
}

}  // namespace longrun
