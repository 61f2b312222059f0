#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "apps/longrun/commands.h"
#include "longrun/policy/catalog.h"

namespace longrun {
namespace {

void print_policies() {
  for (const PolicyEntry& policy : policy_catalog()) {
    fmt::print("{:<20}  {}\n", policy.name, policy.summary);
    for (const Parameter& parameter : policy.parameters) {
      fmt::print("{:<20}    {}: {}\n", "", parameter.name, parameter.help());
    }
  }
  fmt::print(
      "\nBelow each policy are its parameters, with their defaults in parentheses. Set them after the name:\n"
      "  longrun play --bandit inc_dec_3 --policy d-ucb:discount=0.99,exploration=1\n");
}

void print_policies_as_json() {
  auto list = nlohmann::ordered_json::array();
  for (const PolicyEntry& policy : policy_catalog()) {
    auto parameters = nlohmann::ordered_json::array();
    for (const Parameter& parameter : policy.parameters) {
      parameters.push_back({{"name", parameter.name},
                            {"meaning", parameter.help()},
                            {"default", parameter.default_text()},
                            {"minimum", parameter.minimum},
                            {"maximum", parameter.maximum}});
    }
    list.push_back({{"name", policy.name}, {"summary", policy.summary}, {"parameters", std::move(parameters)}});
  }
  fmt::print("{}\n", list.dump(2));
}

}  // namespace

Command add_policies(CLI::App& app) {
  CLI::App* parser = add_subcommand(app, "policies", "List the policies and their parameters",
                                    "Examples:\n"
                                    "  longrun policies\n"
                                    "  longrun policies --json");
  const auto json = std::make_shared<bool>(false);
  add_flag(*parser, "--json", *json, "print JSON instead of text");
  return {parser, [json] { *json ? print_policies_as_json() : print_policies(); }};
}

}  // namespace longrun
