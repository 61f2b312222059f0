#include "longrun/simulate/optimum.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "apps/longrun/commands.h"
#include "longrun/base/input_error.h"
#include "longrun/data/csv.h"
#include "longrun/solve/best_allocation.h"

namespace longrun {
namespace {

struct OptimumOptions {
  BanditOptions bandit;
  ConstraintOptions constraints;
  bool all = false;
  bool json = false;
};

void print_optimum(const Bandit& bandit, const Constraints& constraints, const Allocation& best) {
  const std::string_view widest = constraints.none() ? "horizon" : "constraints";
  const auto print = [&](std::string_view label, const std::string& value) {
    fmt::print("{:<{}}   {}\n", label, widest.size(), value);
  };
  if (!constraints.none()) print("constraints", as_text(constraints));
  print("horizon", fmt::format("{}", best.horizon));
  print("optimum", fmt::format("{:.10g}", best.value));
  print("method", fmt::format("{} (exact)\n", name(best.method)));
  fmt::print("{:>5}  {:>12}  {}\n", "arm", "pulls", "name");
  for (std::size_t arm = 0; arm < best.pulls.size(); ++arm) {
    fmt::print("{:>5}  {:>12}  {}\n", arm, best.pulls[arm], bandit.arm_names[arm]);
  }
}

nlohmann::ordered_json as_json(const Bandit& bandit, const Allocation& best) {
  return {{"horizon", best.horizon}, {"optimum", best.value}, {"arm_names", bandit.arm_names}, {"pulls", best.pulls}};
}

/// Prints JSON on one line. JSON must be UTF-8, which names from files need not be.
void print_json(const nlohmann::ordered_json& object) {
  fmt::print("{}\n", object.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
}

void print_every_horizon(const Bandit& bandit, bool json_lines) {
  check_steps_kept("--all", bandit.horizon);
  const BestAllocations best(known_arms(bandit, bandit.horizon));
  if (!json_lines) {
    fmt::print("horizon,optimum");
    for (const std::string& arm : bandit.arm_names) fmt::print(",{}", csv_cell(arm));
    fmt::print("\n");
  }
  for (Pulls horizon = 1; horizon <= bandit.horizon; ++horizon) {
    const Allocation here = best.at(horizon);
    if (json_lines) {
      print_json(as_json(bandit, here));
    } else {
      fmt::print("{},{},{}\n", here.horizon, here.value, fmt::join(here.pulls, ","));
    }
  }
}

void run(const OptimumOptions& options) {
  const Constraints constraints = options.constraints.read();
  if (options.all && !constraints.none()) {
    throw InputError("--all does not work with constraints; give one --horizon at a time");
  }
  const Bandit bandit = chosen_bandit(options.bandit);
  if (options.all) return print_every_horizon(bandit, options.json);
  const Allocation best = optimal_allocation(bandit, bandit.horizon, constraints);
  if (!options.json) return print_optimum(bandit, constraints, best);
  nlohmann::ordered_json result = as_json(bandit, best);
  result["method"] = name(best.method);
  if (!constraints.none()) result["constraints"] = as_json(constraints);
  print_json(result);
}

}  // namespace

Command add_optimum(CLI::App& app) {
  CLI::App* parser =
      add_subcommand(app, "optimum", "Compute the largest total reward that is possible",
                     "The optimum is the largest total of mean rewards over all allocations of the horizon to the\n"
                     "arms. It is exact for curves of any shape. Under constraints the horizon is a budget in units.\n"
                     "Arms are numbered from 0; lists in JSON have one entry per arm. With --all, --json prints JSON\n"
                     "Lines: one object per horizon and line.\n\n"
                     "Examples:\n"
                     "  longrun optimum --bandit inc_dec_3\n"
                     "  longrun optimum --bandit recommender_B --horizon 500 --json\n"
                     "  longrun optimum --curves curves.csv --all > optima.csv\n"
                     "  longrun optimum --curves curves.csv --all --json | head -n 3\n"
                     "  longrun optimum --bandit inc_dec_3 --costs 2,1 --minimum-pulls 0:100");
  const auto options = std::make_shared<OptimumOptions>();
  options->bandit.add_to(*parser);
  options->constraints.add_to(*parser);
  add_flag(*parser, "--all", options->all,
           "every horizon 1..T, one line each: CSV, or JSON Lines with\n"
           "--json");
  add_flag(*parser, "--json", options->json, "print JSON instead of text");
  return {parser, [options] { run(*options); }};
}

}  // namespace longrun
