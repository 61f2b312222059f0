// The commands that read records: export, summary, merge.
#include <fmt/format.h>
#include <unistd.h>

#include <memory>
#include <set>
#include <vector>

#include "apps/longrun/commands.h"
#include "longrun/base/input_error.h"
#include "longrun/base/parse_number.h"
#include "longrun/base/split.h"
#include "longrun/experiment/merge.h"
#include "longrun/experiment/store.h"
#include "longrun/report/record_rows.h"
#include "longrun/report/summary.h"

namespace longrun {
namespace {

/// Prints a note on standard error for each experiment that is not finished.
void note_unfinished(const std::string& directory, const Store& store) {
  for (const UnfinishedExperiment& experiment : unfinished_experiments(store)) {
    say(fmt::format("note: {}: experiment '{}' is not finished: {} of {} units are recorded", directory,
                    experiment.name, experiment.recorded, experiment.units));
  }
}

struct ExportOptions {
  std::string directory;
  bool csv = false;
  bool jsonl = false;
};

void export_records(const ExportOptions& options) {
  if (options.csv == options.jsonl) throw InputError("give one of --csv and --jsonl");
  const Store store(options.directory, Store::Access::read);
  note_unfinished(options.directory, store);
  if (options.csv) fmt::print("{}\n", kRecordCsvHeader);
  store.for_each(
      [&](const RunRecord& record) { fmt::print("{}\n", options.csv ? record_csv_row(record) : record_json(record)); });
}

struct SummaryOptions {
  std::string directory;
  std::optional<std::string> horizons;
  bool csv = false;
  bool json = false;
  bool latex = false;
};

std::vector<Pulls> parse_horizons(const std::string& text) {
  std::set<Pulls> horizons;
  for (const std::string_view part : split(text, ',')) {
    const auto horizon = parse_number<Pulls>(part);
    if (!horizon || *horizon < 1) {
      throw InputError(fmt::format("--horizons {}: must be whole numbers >= 1, such as 1000,5000", text));
    }
    horizons.insert(*horizon);
  }
  return {horizons.begin(), horizons.end()};
}

void print_summary(const SummaryOptions& options) {
  if (options.csv + options.json + options.latex > 1) throw InputError("give one of --csv, --json and --latex");
  SummaryHorizons horizons{.every = options.csv || options.json};
  if (options.horizons) horizons.listed = parse_horizons(*options.horizons);
  const Store store(options.directory, Store::Access::read);
  std::vector<SummaryTable> tables;
  try {
    tables = summarize(store, horizons);
  } catch (const InputError& error) {
    throw InputError(fmt::format("{}: {}", options.directory, error.what()));
  }
  note_unfinished(options.directory, store);
  if (options.csv) return fmt::print("{}", summary_csv(tables));
  if (options.json) return fmt::print("{}", summary_json(tables));
  if (options.latex) return fmt::print("{}", summary_latex(tables));
  fmt::print("{}", summary_text(tables, isatty(STDOUT_FILENO) == 1));
}

struct MergeOptions {
  std::vector<std::string> directories;
  std::optional<std::string> out;
};

void merge(const MergeOptions& options) {
  if (!options.out) throw InputError("--out DIR is required: the folder for the merged records");
  const MergeResult result = merge_shards(options.directories, *options.out);
  if (result.merged.empty()) {
    fmt::print("{} already holds these records; nothing was merged\n", *options.out);
    return;
  }
  fmt::print("merged {} into {}\n",
             options.directories.size() == 1 ? "1 folder" : fmt::format("{} folders", options.directories.size()),
             *options.out);
}

}  // namespace

Command add_export(CLI::App& app) {
  CLI::App* parser = add_subcommand(app, "export", "Print every recorded run as one row",
                                    "The rows do not depend on the number of threads, shards or interruptions.\n"
                                    "An experiment that is not finished is noted on standard error.\n\n"
                                    "Examples:\n"
                                    "  longrun export results --csv > runs.csv");
  const auto options = std::make_shared<ExportOptions>();
  add_argument(*parser, "DIR", options->directory, "folder with the records of 'longrun run'");
  add_flag(*parser, "--csv", options->csv,
           "comma-separated, with a header line; pulls are those of\n"
           "arm 0, arm 1, ..., separated by spaces");
  add_flag(*parser, "--jsonl", options->jsonl, "JSON Lines: one JSON object per line");
  return {parser, [options] { export_records(*options); }};
}

Command add_summary(CLI::App& app) {
  CLI::App* parser = add_subcommand(app, "summary", "Print the mean regrets of recorded runs as tables",
                                    "Regrets are policy regrets per step: means over seeds, with 95 % intervals\n"
                                    "(Student's t). An experiment that is not finished is noted on standard error.\n\n"
                                    "Examples:\n"
                                    "  longrun summary results\n"
                                    "  longrun summary results --horizons 2000,20000\n"
                                    "  longrun summary results --latex > tables.tex");
  const auto options = std::make_shared<SummaryOptions>();
  add_argument(*parser, "DIR", options->directory, "folder with the records of 'longrun run'");
  add_value(*parser, "--horizons", "T,T,...", options->horizons,
            "horizons to show (default: three of each experiment; all\n"
            "with --csv and --json)");
  add_flag(*parser, "--csv", options->csv, "print CSV, one row per policy and horizon");
  add_flag(*parser, "--json", options->json, "print JSON: a list with one object per table");
  add_flag(*parser, "--latex", options->latex, "print LaTeX tables (they need the package booktabs)");
  return {parser, [options] { print_summary(*options); }};
}

Command add_merge(CLI::App& app) {
  CLI::App* parser = add_subcommand(app, "merge", "Join the records of shards into one folder",
                                    "Examples:\n  longrun merge part1 part2 part3 --out results");
  const auto options = std::make_shared<MergeOptions>();
  add_arguments(*parser, "DIR", options->directories, "folders of all the shards", true);
  add_value(*parser, "--out", "DIR", options->out, "folder for the merged records; required");
  return {parser, [options] { merge(*options); }};
}

}  // namespace longrun
