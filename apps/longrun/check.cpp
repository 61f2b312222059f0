#include <fmt/format.h>
#include <fmt/ranges.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <vector>

#include "apps/longrun/commands.h"
#include "longrun/base/input_error.h"
#include "longrun/experiment/config.h"

namespace longrun {
namespace {

struct CheckOptions {
  std::vector<std::string> files;
  bool json = false;
};

/// What one bandit with one noise costs.
struct Share {
  const BanditChoice* bandit;
  const Noise* noise;
  std::uint64_t runs;
  std::uint64_t steps;
};

/// Every bandit and noise takes as much as any other.
std::vector<Share> shares_of(const Config& config) {
  std::vector<Share> shares;
  const std::size_t count = config.bandits.size() * config.noises.size();
  for (const BanditChoice& bandit : config.bandits) {
    for (const Noise& noise : config.noises) {
      shares.push_back(
          {.bandit = &bandit, .noise = &noise, .runs = config.runs() / count, .steps = config.steps() / count});
    }
  }
  return shares;
}

struct Total {
  std::uint64_t runs = 0;
  std::uint64_t steps = 0;
};

Total total_of(const std::vector<Config>& configs) {
  Total total;
  for (const Config& config : configs) {
    total.runs += config.runs();
    total.steps += config.steps();
  }
  return total;
}

std::vector<std::string> policies_of(const Config& config) {
  std::vector<std::string> policies;
  for (const PolicyChoice& policy : config.policies) policies.push_back(policy.text());
  return policies;
}

void print_row(std::string_view bandit, std::string_view arms, std::string_view noise, const Total& total) {
  fmt::print("  {:<28}  {:>4}  {:<16}  {:>12}  {:>16}\n", bandit, arms, noise, total.runs, total.steps);
}

void print_as_text(const Config& config) {
  fmt::print("{}: {}\n", config.path, config.title);
  if (!config.illustrations.empty()) {
    fmt::print("  illustrations  {}; nothing to run\n", config.illustrations.size());
    return;
  }
  fmt::print("  policies  {}\n", fmt::join(policies_of(config), ", "));
  fmt::print("  horizons  {}, from {} to {}\n", config.horizons.size(), config.horizons.front(),
             config.horizons.back());
  fmt::print("  seeds     {}\n", config.seeds);
  if (!config.constraints.none()) fmt::print("  under     {}\n", as_text(config.constraints));
  fmt::print("\n");
  fmt::print("  {:<28}  {:>4}  {:<16}  {:>12}  {:>16}\n", "bandit", "arms", "noise", "runs", "steps");
  for (const Share& share : shares_of(config)) {
    print_row(share.bandit->name, fmt::format("{}", share.bandit->at(1).arm_count()), to_text(*share.noise),
              {.runs = share.runs, .steps = share.steps});
  }
  print_row("total", "", "", {.runs = config.runs(), .steps = config.steps()});
}

void print_as_text(const std::vector<Config>& configs) {
  for (const Config& config : configs) {
    print_as_text(config);
    fmt::print("\n");
  }
  const Total total = total_of(configs);
  fmt::print("{} {}, {} runs, {} steps\n", configs.size(), configs.size() == 1 ? "experiment" : "experiments",
             total.runs, total.steps);
}

nlohmann::ordered_json as_json(const Config& config) {
  auto shares = nlohmann::ordered_json::array();
  for (const Share& share : shares_of(config)) {
    shares.push_back({{"bandit", share.bandit->name},
                      {"arms", share.bandit->at(1).arm_count()},
                      {"noise", to_text(*share.noise)},
                      {"runs", share.runs},
                      {"steps", share.steps}});
  }
  nlohmann::ordered_json object{
      {"name", config.name},   {"title", config.title},       {"group", config.group},
      {"claim", config.claim}, {"horizons", config.horizons}, {"policies", policies_of(config)},
      {"seeds", config.seeds}, {"seed", config.seed},         {"shares", shares},
      {"runs", config.runs()}, {"steps", config.steps()}};
  if (!config.constraints.none()) object["constraints"] = as_json(config.constraints);
  return object;
}

void print_as_json(const std::vector<Config>& configs) {
  auto experiments = nlohmann::ordered_json::array();
  for (const Config& config : configs) experiments.push_back(as_json(config));
  const Total total = total_of(configs);
  const nlohmann::ordered_json result{{"experiments", experiments}, {"runs", total.runs}, {"steps", total.steps}};
  // A file may have a name that is not UTF-8, which JSON must be.
  fmt::print("{}\n", result.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
}

void run(const CheckOptions& options) {
  if (options.files.empty()) throw InputError("which experiment? give a FILE.toml, such as experiments/figure_1.toml");
  std::vector<Config> configs;
  for (const std::string& file : options.files) {
    for (Config& config : load_configs(file)) configs.push_back(std::move(config));
  }
  options.json ? print_as_json(configs) : print_as_text(configs);
}

}  // namespace

Command add_check(CLI::App& app) {
  CLI::App* parser = add_subcommand(
      app, "check", "Read experiments, and say how many runs and steps they take",
      "Nothing is run. A run is one policy on one bandit with one noise, horizon and seed; it takes as many steps as "
      "its\n"
      "horizon is long. experiments/README.md explains the file format.\n\n"
      "Examples:\n"
      "  longrun check experiments/figure_1.toml\n"
      "  longrun check experiments/*.toml --json");
  const auto options = std::make_shared<CheckOptions>();
  add_arguments(*parser, "FILE.toml", options->files, "experiments to read");
  add_flag(*parser, "--json", options->json, "print JSON instead of text");
  return {parser, [options] { run(*options); }};
}

}  // namespace longrun
