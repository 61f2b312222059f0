// What reads records: export, summary, merge.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <cmath>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>
#include <vector>

#include "apps/longrun/commands.h"
#include "longrun/base/input_error.h"
#include "longrun/base/parse_number.h"
#include "longrun/base/split.h"
#include "longrun/experiment/merge.h"
#include "longrun/experiment/store.h"

namespace longrun {
namespace {

struct ExportOptions {
  std::string directory;
  bool csv = false;
  bool jsonl = false;
};

/// A CSV cell; quoted where it holds what would end it.
std::string cell(const std::string& text) {
  if (text.find_first_of(",\"\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}

void export_records(const ExportOptions& options) {
  if (options.csv == options.jsonl) throw InputError("choose one of --csv and --jsonl");
  const Store store(options.directory, Store::Access::read);
  if (options.csv) fmt::print("experiment,bandit,noise,policy,parameters,horizon,seed,pulls,return,optimum,regret\n");
  store.for_each([&](const RunRecord& r) {
    if (options.csv) {
      fmt::print("{},{},{},{},{},{},{},{},{},{},{}\n", cell(r.experiment), cell(r.bandit), r.noise, r.policy,
                 cell(r.parameters), r.horizon, r.seed, fmt::join(r.pulls, " "), r.earned, r.optimum, r.regret);
      return;
    }
    const nlohmann::ordered_json row{
        {"experiment", r.experiment}, {"bandit", r.bandit},   {"noise", r.noise},  {"policy", r.policy},
        {"parameters", r.parameters}, {"horizon", r.horizon}, {"seed", r.seed},    {"pulls", r.pulls},
        {"return", r.earned},         {"optimum", r.optimum}, {"regret", r.regret}};
    fmt::print("{}\n", row.dump());
  });
}

struct SummaryOptions {
  std::string directory;
  std::optional<std::string> horizons;
};

struct Sample {
  double sum = 0;
  double squares = 0;
  double count = 0;
  void add(double x) {
    sum += x;
    squares += x * x;
    ++count;
  }
  double mean() const { return sum / count; }
  double standard_error() const {
    return count < 2 ? 0 : std::sqrt(std::max(0.0, squares / count - mean() * mean()) / (count - 1));
  }
};

std::set<Pulls> parse_horizons(const std::string& text) {
  std::set<Pulls> horizons;
  for (const std::string_view part : split(text, ',')) {
    const auto horizon = parse_number<Pulls>(part);
    if (!horizon || *horizon < 1) {
      throw InputError(fmt::format("--horizons {}: must be whole numbers >= 1, such as 1000,5000", text));
    }
    horizons.insert(*horizon);
  }
  return horizons;
}

/// Mean per-step regrets of one bandit and noise: policies down, horizons across.
struct Panel {
  std::vector<std::string> policies;  // in the order of the config
  std::map<std::string, std::map<Pulls, Sample>> samples;
};

/// The columns shown: the horizons asked for, or three spread over what there is.
std::vector<Pulls> columns(const Panel& panel, const std::set<Pulls>& wanted) {
  std::vector<Pulls> there;
  for (const auto& [horizon, sample] : panel.samples.begin()->second) there.push_back(horizon);
  if (wanted.empty()) {
    std::set<Pulls> some{there[(there.size() - 1) / 10], there[(there.size() - 1) * 3 / 10], there.back()};
    return {some.begin(), some.end()};
  }
  std::vector<Pulls> shown;
  for (const Pulls horizon : there) {
    if (wanted.contains(horizon)) shown.push_back(horizon);
  }
  return shown;
}

void print_panel(const std::string& title, const Panel& panel, const std::set<Pulls>& wanted, bool bold_allowed) {
  const std::vector<Pulls> shown = columns(panel, wanted);
  if (shown.empty()) return;
  fmt::print("{}\n  {:<28}", title, "policy");
  for (const Pulls horizon : shown) fmt::print("{:>26}", fmt::format("T = {}", horizon));
  fmt::print("\n");
  for (const std::string& policy : panel.policies) {
    fmt::print("  {:<28}", policy);
    for (const Pulls horizon : shown) {
      const Sample& sample = panel.samples.at(policy).at(horizon);
      bool best = policy != "optimal";
      for (const auto& [other, by_horizon] : panel.samples) {
        if (other != "optimal" && by_horizon.at(horizon).mean() < sample.mean()) best = false;
      }
      const std::string text =
          fmt::format("{:.6f} +- {:.6f}{}", sample.mean(), sample.standard_error(), best ? " *" : "  ");
      fmt::print("{}{:>26}{}", best && bold_allowed ? "\x1b[1m" : "", text, best && bold_allowed ? "\x1b[0m" : "");
    }
    fmt::print("\n");
  }
  fmt::print("\n");
}

void summarise(const SummaryOptions& options) {
  const std::set<Pulls> wanted = options.horizons ? parse_horizons(*options.horizons) : std::set<Pulls>{};
  const Store store(options.directory, Store::Access::read);
  std::vector<std::string> titles;
  std::map<std::string, Panel> panels;
  std::set<Pulls> seen;
  store.for_each([&](const RunRecord& r) {
    const std::string title = fmt::format("{}: {}, noise {}", r.experiment, r.bandit, r.noise);
    if (!panels.contains(title)) titles.push_back(title);
    Panel& panel = panels[title];
    const std::string policy = r.parameters.empty() ? r.policy : r.policy + ":" + r.parameters;
    if (!panel.samples.contains(policy)) panel.policies.push_back(policy);
    panel.samples[policy][r.horizon].add(r.regret / static_cast<double>(r.horizon));
    seen.insert(r.horizon);
  });
  for (const Pulls horizon : wanted) {
    if (!seen.contains(horizon))
      throw InputError(fmt::format("--horizons {}: no record in {} has that horizon", horizon, options.directory));
  }
  if (titles.empty()) throw InputError(fmt::format("{}: no records yet", options.directory));
  fmt::print("Policy regret per step, mean over seeds +- its standard error; * marks the best policy\n\n");
  for (const std::string& title : titles) print_panel(title, panels.at(title), wanted, isatty(STDOUT_FILENO) == 1);
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
  CLI::App* parser = add_subcommand(
      app, "export", "Print every recorded run as one tidy row",
      "The same bytes for any number of threads, shards or interruptions.\n\nExamples:\n  longrun export results --csv "
      "> runs.csv");
  const auto options = std::make_shared<ExportOptions>();
  add_argument(*parser, "DIR", options->directory, "folder that 'longrun run' filled");
  add_flag(*parser, "--csv", options->csv,
           "comma-separated, with a header line; pulls of the arms separated by spaces");
  add_flag(*parser, "--jsonl", options->jsonl, "one JSON object per line");
  return {parser, [options] { export_records(*options); }};
}

Command add_summary(CLI::App& app) {
  CLI::App* parser =
      add_subcommand(app, "summary", "Show mean regrets of recorded runs as tables",
                     "Examples:\n  longrun summary results\n  longrun summary results --horizons 2000,20000");
  const auto options = std::make_shared<SummaryOptions>();
  add_argument(*parser, "DIR", options->directory, "folder that 'longrun run' filled");
  add_value(*parser, "--horizons", "T,T,...", options->horizons, "which horizons to show (default: three of them)");
  return {parser, [options] { summarise(*options); }};
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
