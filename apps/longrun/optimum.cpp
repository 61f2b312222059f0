#include "longrun/simulate/optimum.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "apps/longrun/commands.h"
#include "longrun/base/input_error.h"
#include "longrun/solve/best_allocation.h"

namespace longrun {
namespace {

struct OptimumOptions {
  BanditOptions bandit;
  ConstraintOptions constraints;
  bool all = false;
  bool json = false;
};

void print_as_text(const Bandit& bandit, const Allocation& best) {
  fmt::print("horizon   {}\n", best.horizon);
  fmt::print("optimum   {:.10g}\n", best.value);
  fmt::print("method    {} (exact)\n\n", name(best.method));
  fmt::print("{:>5}  {:>12}  {}\n", "arm", "pulls", "name");
  for (std::size_t arm = 0; arm < best.pulls.size(); ++arm) {
    fmt::print("{:>5}  {:>12}  {}\n", arm, best.pulls[arm], bandit.arm_names[arm]);
  }
}

nlohmann::ordered_json as_json(const Allocation& best) {
  return {{"horizon", best.horizon}, {"value", best.value}, {"pulls", best.pulls}};
}

void print_every_horizon(const Bandit& bandit, bool json) {
  check_steps_kept("--all", bandit.horizon);
  const BestAllocations best(known_arms(bandit, bandit.horizon));
  if (!json) fmt::print("horizon,value,{}\n", fmt::join(bandit.arm_names, ","));
  for (Pulls horizon = 1; horizon <= bandit.horizon; ++horizon) {
    const Allocation here = best.at(horizon);
    if (json) {
      fmt::print("{}\n", as_json(here).dump());
    } else {
      fmt::print("{},{},{}\n", here.horizon, here.value, fmt::join(here.pulls, ","));
    }
  }
}

void run(const OptimumOptions& options) {
  const Constraints constraints = options.constraints.read();
  if (options.all && !constraints.none()) {
    throw InputError("--all is for pulls without constraints; with them, ask for one --horizon at a time");
  }
  const Bandit bandit = chosen_bandit(options.bandit);
  if (options.all) return print_every_horizon(bandit, options.json);
  const Allocation best = optimal_allocation(bandit, bandit.horizon, constraints);
  if (!options.json) return print_as_text(bandit, best);
  nlohmann::ordered_json result = as_json(best);
  result["method"] = name(best.method);
  if (!constraints.none()) result["constraints"] = as_json(constraints);
  fmt::print("{}\n", result.dump());
}

}  // namespace

Command add_optimum(CLI::App& app) {
  CLI::App* parser = add_subcommand(
      app, "optimum", "Find the best that any policy could earn, and how",
      "The optimum is the largest total of mean rewards over all ways to spread the horizon over the arms. It is "
      "exact,\n"
      "whatever the curves look like. Under constraints the horizon is a budget in units.\n\n"
      "Examples:\n"
      "  longrun optimum --bandit inc_dec_3\n"
      "  longrun optimum --bandit recommender_B --horizon 500 --json\n"
      "  longrun optimum --curves curves.csv --all > optima.csv\n"
      "  longrun optimum --bandit inc_dec_3 --costs 2,1 --minimum-pulls 0:100");
  const auto options = std::make_shared<OptimumOptions>();
  options->bandit.add_to(*parser);
  options->constraints.add_to(*parser);
  add_flag(*parser, "--all", options->all, "every horizon 1..T, one line each (CSV, or JSON with --json)");
  add_flag(*parser, "--json", options->json, "print JSON instead of text");
  return {parser, [options] { run(*options); }};
}

}  // namespace longrun
