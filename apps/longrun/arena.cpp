#include <fmt/format.h>

#include <filesystem>
#include <memory>

#include "apps/longrun/commands.h"
#include "apps/longrun/run_experiments.h"
#include "longrun/experiment/paper.h"
#include "longrun/report/arena/arena_json.h"
#include "longrun/report/arena/arena_report.h"

namespace longrun {
namespace {

struct ArenaOptions {
  std::vector<std::string> policies;
  std::optional<std::string> out;
  bool development = false;
  bool quick = false;
  bool only = false;
  bool json = false;
  RunFlags run;
};

void run(const ArenaOptions& options) {
  Timing timing;
  const std::vector<Config> configs = arena_configs(
      {.policies = options.policies, .only = options.only, .development = options.development, .quick = options.quick});
  const std::string out = options.out.value_or(options.development ? "arena-development" : "arena");
  if (!run_experiments(configs, out, options.run, timing)) return print_timing(options.run, timing);
  const ArenaReport report =
      write_arena_report(configs, out, {.threads = options.run.thread_count(), .timing = &timing});
  print_timing(options.run, timing);
  if (!report.drawn) say_undrawn(out, "the same command");
  if (options.json) return fmt::print("{}", arena_json(report.views));
  fmt::print("{}\n\n{}\n", arena_meaning(), arena_text(report.views[0]));
  for (const ArenaScores& view : report.views) {
    if (view.cells == kUnseenFamilies) fmt::print("---- {} ----\n\n{}\n", view.cells, arena_text(view));
  }
  fmt::print("table     {}\nfigure    {}: arena\nreport    {}   (open it in a browser)\n", report.table, out,
             std::filesystem::absolute(report.page).string());
}

}  // namespace

Command add_arena(CLI::App& app) {
  CLI::App* parser = add_subcommand(
      app, "arena", "Compare policies on noisy bandits, also on those they were not designed for",
      "Runs experiments/arena.toml and scores every policy against SPO, by family of bandits and overall. With\n"
      "--development, the arena has the seeds and families for tuning. Without it, the arena has other seeds, and\n"
      "the families with held_out = true are scored apart.\n\n"
      "Writes DIR/arena.html, one page that needs no network, DIR/arena.md with the same tables, and a figure:\n"
      "arena.svg, .pdf and .png, with the gnuplot script and data they are made from.\n\n"
      "Examples:\n"
      "  longrun arena\n"
      "  longrun arena raw-ucb:alpha=1 --development --quick --out trial\n"
      "  longrun arena foresight --only --development --json --out trial > scores.json");
  const auto options = std::make_shared<ArenaOptions>();
  add_arguments(*parser, "POLICY", options->policies, "more policies to compare, as in 'longrun play'");
  add_value(*parser, "--out", "DIR", options->out,
            "folder to write to (default: arena; with --development\narena-development)");
  add_flag(*parser, "--development", options->development,
           "the seeds and families for tuning (default: the seeds for\nreporting, and families that tuning never saw)");
  add_flag(*parser, "--quick", options->quick, "5 seeds instead of 30");
  add_flag(*parser, "--only", options->only, "compare only POLICY ... and spo, not those of the arena");
  add_flag(*parser, "--json", options->json, "print JSON instead of text");
  options->run.add_to(*parser);
  return {parser, [options] { run(*options); }};
}

}  // namespace longrun
