#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "apps/longrun/commands.h"
#include "longrun/data/named_bandits.h"

namespace longrun {
namespace {

void print_bandits() {
  fmt::print("{:<26}{:>7}  {}\n", "name", "horizon", "arms (m is the number of the pull, from 1)");
  for (const auto& [name, summary] : named_bandits()) {
    fmt::print("{:<26}{:>7}  {}\n", name, named_bandit(name).horizon, summary);
  }
  fmt::print(
      "\n"
      "The horizon is the default of 'longrun play'. inc_1, inc_2 and inc_3 take any exponent, such as\n"
      "inc_1_alpha_0.7 (at most 1 for inc_2). const_K is the K-th random draw of const, K = 1, 2, ...;\n"
      "so are recommender_random_K, random_peaked_K and all others that begin with random_, and, with\n"
      "sampled applicants, fico_score_change_sample_K and fico_utility_sample_K. For your own curves\n"
      "see --curves in 'longrun help play'.\n");
}

void print_bandits_as_json() {
  auto list = nlohmann::ordered_json::array();
  for (const auto& [name, summary] : named_bandits()) {
    const Bandit bandit = named_bandit(name);
    list.push_back({{"name", name}, {"summary", summary}, {"horizon", bandit.horizon}, {"arms", bandit.arm_names}});
  }
  fmt::print("{}\n", list.dump(2));
}

}  // namespace

Command add_bandits(CLI::App& app) {
  CLI::App* parser = add_subcommand(app, "bandits", "List the bandits that are built in",
                                    "Examples:\n"
                                    "  longrun bandits\n"
                                    "  longrun bandits --json");
  const auto json = std::make_shared<bool>(false);
  add_flag(*parser, "--json", *json, "print JSON instead of text");
  return {parser, [json] { *json ? print_bandits_as_json() : print_bandits(); }};
}

}  // namespace longrun
