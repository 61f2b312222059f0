#include "longrun/report/arena.h"

#include <fmt/format.h>

#include <filesystem>
#include <memory>

#include "apps/longrun/commands.h"
#include "apps/longrun/run_experiments.h"
#include "longrun/base/input_error.h"
#include "longrun/base/write_file.h"
#include "longrun/experiment/paper.h"
#include "longrun/experiment/store.h"
#include "longrun/report/arena_figure.h"
#include "longrun/report/arena_page.h"
#include "longrun/report/gnuplot.h"

namespace longrun {
namespace {

struct ArenaOptions {
  std::vector<std::string> policies;
  std::optional<std::string> out;
  bool development = false;
  bool quick = false;
  RunFlags run;
};

std::vector<Config> arena_experiments(const ArenaOptions& options) {
  const EmbeddedFile& file = arena_experiment();
  std::vector<Config> configs = parse_configs(file.text, fmt::format("experiments/{}", file.name));
  for (Config& config : configs) {
    for (const std::string& text : options.policies) {
      const PolicyChoice policy(text);
      const auto same = [&](const PolicyChoice& other) { return other.text() == policy.text(); };
      if (std::none_of(config.policies.begin(), config.policies.end(), same)) config.policies.push_back(policy);
    }
    if (options.development) config.first_seed = 1;
    if (options.quick) config.seeds = 5;
  }
  return configs;
}

void run(const ArenaOptions& options) {
  const std::vector<Config> configs = arena_experiments(options);
  const std::string out = options.out.value_or(options.development ? "arena-development" : "arena");
  if (!run_experiments(configs, out, options.run)) return;
  const Store store(out, Store::Access::read);
  Arena arena;
  for (const Config& config : configs) arena.add(Results(store, config));
  const std::vector<ArenaScores> views = arena.views();
  write_file(out + "/arena.md", arena_markdown(views));
  write_arena_figure(views[0], "arena", out);
  const bool drawn = draw({"arena"}, out);
  write_file(out + "/arena.html", make_arena_page(views, drawn));
  if (!drawn) say_undrawn(out, "the same command");
  fmt::print("{0}\n\n{1}\ntable     {2}/arena.md\nfigure    {2}: arena\nreport    {3}   (open it in a browser)\n",
             arena_meaning(), arena_text(views[0]), out, std::filesystem::absolute(out + "/arena.html").string());
}

}  // namespace

Command add_arena(CLI::App& app) {
  CLI::App* parser = add_subcommand(
      app, "arena", "Judge policies on noisy bandits, also on those they were not made for",
      "Runs experiments/arena.toml and scores every policy against SPO, by family of bandits and overall. Tune on the\n"
      "development seeds, report on the others.\n\n"
      "Writes DIR/arena.html, one page that needs no network, DIR/arena.md with the same tables, and a figure:\n"
      "arena.svg, .pdf and .png, with the gnuplot script and data they are made from.\n\n"
      "Examples:\n"
      "  longrun arena\n"
      "  longrun arena raw-ucb:alpha=1 --development --quick --out trial");
  const auto options = std::make_shared<ArenaOptions>();
  add_arguments(*parser, "POLICY", options->policies, "more policies to judge, as in 'longrun play'");
  add_value(*parser, "--out", "DIR", options->out, "folder that takes everything (default: arena)");
  add_flag(*parser, "--development", options->development, "the seeds for tuning (default: those for reporting)");
  add_flag(*parser, "--quick", options->quick, "5 seeds instead of 30");
  options->run.add_to(*parser);
  return {parser, [options] { run(*options); }};
}

}  // namespace longrun
