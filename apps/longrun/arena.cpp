#include <fmt/format.h>

#include <filesystem>
#include <memory>

#include "apps/longrun/commands.h"
#include "apps/longrun/run_experiments.h"
#include "longrun/experiment/paper.h"
#include "longrun/report/arena_report.h"

namespace longrun {
namespace {

struct ArenaOptions {
  std::vector<std::string> policies;
  std::optional<std::string> out;
  bool development = false;
  bool quick = false;
  RunFlags run;
};

void run(const ArenaOptions& options) {
  const std::vector<Config> configs =
      arena_configs({.policies = options.policies, .development = options.development, .quick = options.quick});
  const std::string out = options.out.value_or(options.development ? "arena-development" : "arena");
  if (!run_experiments(configs, out, options.run)) return;
  const ArenaReport report = write_arena_report(configs, out);
  if (!report.drawn) say_undrawn(out, "the same command");
  fmt::print("{}\n\n{}\ntable     {}\nfigure    {}: arena\nreport    {}   (open it in a browser)\n", arena_meaning(),
             arena_text(report.views[0]), report.table, out, std::filesystem::absolute(report.page).string());
}

}  // namespace

Command add_arena(CLI::App& app) {
  CLI::App* parser = add_subcommand(
      app, "arena", "Compare policies on noisy bandits, also on those they were not designed for",
      "Runs experiments/arena.toml and scores every policy against SPO, by family of bandits and overall. Tune on the\n"
      "development seeds, report on the others.\n\n"
      "Writes DIR/arena.html, one page that needs no network, DIR/arena.md with the same tables, and a figure:\n"
      "arena.svg, .pdf and .png, with the gnuplot script and data they are made from.\n\n"
      "Examples:\n"
      "  longrun arena\n"
      "  longrun arena raw-ucb:alpha=1 --development --quick --out trial");
  const auto options = std::make_shared<ArenaOptions>();
  add_arguments(*parser, "POLICY", options->policies, "more policies to compare, as in 'longrun play'");
  add_value(*parser, "--out", "DIR", options->out,
            "folder to write to (default: arena; with --development\narena-development)");
  add_flag(*parser, "--development", options->development, "the seeds for tuning (default: those for reporting)");
  add_flag(*parser, "--quick", options->quick, "5 seeds instead of 30");
  options->run.add_to(*parser);
  return {parser, [options] { run(*options); }};
}

}  // namespace longrun
