#include <fmt/format.h>
#include <fmt/ranges.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <vector>

#include "apps/longrun/commands.h"
#include "longrun/base/input_error.h"
#include "longrun/experiment/config.h"
#include "longrun/experiment/work.h"
#include "longrun/report/json_values.h"

namespace longrun {
namespace {

struct CheckOptions {
  std::vector<std::string> files;
  bool json = false;
};

std::vector<std::string> policies_of(const Config& config) {
  std::vector<std::string> policies;
  for (const PolicyChoice& policy : config.policies) policies.push_back(policy.text());
  return policies;
}

void print_row(std::string_view bandit, std::string_view arms, std::string_view noise, const Work& work) {
  fmt::print("  {:<28}  {:>4}  {:<16}  {:>12}  {:>16}\n", bandit, arms, noise, work.runs, work.steps);
}

void print_as_text(const Config& config) {
  fmt::print("{}: {}\n", config.path, config.title);
  if (!config.illustrations.empty()) {
    fmt::print("  illustrations  {}; nothing to run\n", config.illustrations.size());
    return;
  }
  const std::string_view widest = config.constraints.none() ? "policies" : "constraints";
  const auto print = [&](std::string_view label, const std::string& value) {
    fmt::print("  {:<{}}  {}\n", label, widest.size(), value);
  };
  print("policies", fmt::format("{}", fmt::join(policies_of(config), ", ")));
  print("horizons",
        fmt::format("{}, from {} to {}", config.horizons.size(), config.horizons.front(), config.horizons.back()));
  print("seeds", fmt::format("{}", config.seeds));
  if (!config.constraints.none()) print("constraints", as_text(config.constraints));
  fmt::print("\n");
  fmt::print("  {:<28}  {:>4}  {:<16}  {:>12}  {:>16}\n", "bandit", "arms", "noise", "runs", "steps");
  for (const WorkShare& share : work_shares(config)) {
    print_row(share.bandit->name, fmt::format("{}", share.bandit->at(1).arm_count()), to_text(*share.noise),
              share.work);
  }
  print_row("total", "", "", work_of(config));
}

void print_as_text(const std::vector<Config>& configs) {
  for (const Config& config : configs) {
    print_as_text(config);
    fmt::print("\n");
  }
  const Work total = work_of(configs);
  fmt::print("{} {}, {} runs, {} steps\n", configs.size(), configs.size() == 1 ? "experiment" : "experiments",
             total.runs, total.steps);
}

nlohmann::ordered_json as_json(const Config& config) {
  auto shares = nlohmann::ordered_json::array();
  for (const WorkShare& share : work_shares(config)) {
    shares.push_back({{"bandit", share.bandit->name},
                      {"arms", share.bandit->at(1).arm_count()},
                      {"noise", to_text(*share.noise)},
                      {"runs", share.work.runs},
                      {"steps", share.work.steps}});
  }
  nlohmann::ordered_json object{{"name", config.name},
                                {"title", config.title},
                                {"group", config.group},
                                {"claim", config.claim},
                                {"horizons", config.horizons},
                                {"policies", policies_of(config)},
                                {"seeds", config.seeds},
                                {"seed", seed_json<nlohmann::ordered_json>(config.seed)},
                                {"shares", shares},
                                {"runs", config.runs()},
                                {"steps", config.steps()}};
  if (!config.constraints.none()) object["constraints"] = as_json(config.constraints);
  return object;
}

void print_as_json(const std::vector<Config>& configs) {
  auto experiments = nlohmann::ordered_json::array();
  for (const Config& config : configs) experiments.push_back(as_json(config));
  const Work total = work_of(configs);
  const nlohmann::ordered_json result{{"experiments", experiments}, {"runs", total.runs}, {"steps", total.steps}};
  // JSON must be UTF-8, which the name of a file need not be.
  fmt::print("{}\n", result.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
}

void run(const CheckOptions& options) {
  if (options.files.empty())
    throw InputError("no experiment is given; name a FILE.toml, such as experiments/figure_1.toml");
  const std::vector<Config> configs = load_configs(options.files);
  for (const Config& config : configs) check_computable(config);
  options.json ? print_as_json(configs) : print_as_text(configs);
}

}  // namespace

Command add_check(CLI::App& app) {
  CLI::App* parser = add_subcommand(
      app, "check", "Check experiments, and print how many runs and steps they take",
      "Nothing is run. A run is one policy on one bandit with one noise, horizon and seed. It takes as many steps as\n"
      "its horizon. Errors are the same as those of 'longrun run'. experiments/README.md explains the file format.\n\n"
      "Examples:\n"
      "  longrun check experiments/figure_1.toml\n"
      "  longrun check experiments/*.toml --json");
  const auto options = std::make_shared<CheckOptions>();
  add_arguments(*parser, "FILE.toml", options->files, "experiments to read");
  add_flag(*parser, "--json", options->json, "print JSON instead of text");
  return {parser, [options] { run(*options); }};
}

}  // namespace longrun
