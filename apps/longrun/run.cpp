#include <memory>
#include <vector>

#include "apps/longrun/commands.h"
#include "apps/longrun/run_experiments.h"
#include "longrun/base/input_error.h"

namespace longrun {
namespace {

struct RunCommandOptions {
  std::vector<std::string> files;
  std::optional<std::string> out;
  RunFlags flags;
};

void run(const RunCommandOptions& options) {
  Timing timing;
  if (options.files.empty())
    throw InputError("no experiment is given; name a FILE.toml, such as experiments/figure_1.toml");
  if (!options.out) throw InputError("--out DIR is required: the folder for the records");
  run_experiments(load_configs(options.files, options.flags), *options.out, options.flags, timing);
  print_timing(options.flags, timing);
}

}  // namespace

Command add_run(CLI::App& app) {
  CLI::App* parser = add_subcommand(
      app, "run", "Run experiments from TOML files and record every run",
      "Records are written to DIR/records.sqlite during the run. After any interruption, the same command continues\n"
      "from there. The records do not depend on the number of threads or processes. experiments/README.md explains "
      "the\n"
      "file format.\n\n"
      "Examples:\n"
      "  longrun check experiments/figure_1.toml                      the number of runs and steps\n"
      "  longrun run experiments/figure_1.toml --out results          run it\n"
      "  longrun run experiments/*.toml --out part2 --shard 2/8       one part of eight, for another machine\n"
      "  mpirun -n 4 longrun run experiments/*.toml --out results     four processes; docs/clusters.md has more\n"
      "  longrun summary results                                      show mean regrets");
  const auto options = std::make_shared<RunCommandOptions>();
  add_arguments(*parser, "FILE.toml", options->files, "experiments to run");
  add_value(*parser, "--out", "DIR", options->out, "folder for the records; required");
  options->flags.add_to(*parser);
  return {parser, [options] { run(*options); }};
}

}  // namespace longrun
