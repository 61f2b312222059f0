#include "apps/longrun/command_tree.h"

#include <CLI/CLI.hpp>
#include <map>

#include "longrun/base/split.h"
#include "longrun/data/named_bandits.h"
#include "longrun/experiment/paper.h"
#include "longrun/model/noise.h"
#include "longrun/policy/catalog.h"

namespace longrun {
namespace {

std::vector<std::string> policy_names() {
  std::vector<std::string> names;
  for (const PolicyEntry& policy : policy_catalog()) names.emplace_back(policy.name);
  return names;
}

std::vector<std::string> bandit_names() {
  std::vector<std::string> names;
  for (const NamedBandit& bandit : named_bandits()) names.push_back(bandit.name);
  return names;
}

std::vector<std::string> subcommand_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; }))
    names.push_back(command->get_name());
  return names;
}

/// Returns how each form of --noise begins: "gaussian:" of "gaussian:SD".
std::vector<std::string> noise_beginnings() {
  std::vector<std::string> beginnings = noise_forms();
  for (std::string& form : beginnings) {
    if (const std::size_t colon = form.find(':'); colon != std::string::npos) form.erase(colon + 1);
  }
  return beginnings;
}

/// The values of options and arguments by name. A name has the same values in every subcommand.
using KnownValues = std::map<std::string, std::vector<std::string>>;

KnownValues known_values(const CLI::App& app) {
  return {{"--policy", policy_names()},       {"--policies", policy_names()},
          {"POLICY", policy_names()},         {"--bandit", bandit_names()},
          {"--choices", {"random"}},          {"FIGURE", paper_experiment_names()},
          {"--noise", noise_beginnings()},    {"--half-width", {"bound", "2sd", "failure:"}},
          {"COMMAND", subcommand_names(app)}, {"SHELL", kShells}};
}

void set_completion(OptionNode& option, const KnownValues& known) {
  const std::string& value = option.argument ? option.name : option.placeholder;
  if (const auto found = known.find(option.name); found != known.end()) {
    option.values = found->second;
  } else if (value.find('|') != std::string::npos) {  // "keep|lapse"
    for (const std::string_view one : split(value, '|')) option.values.emplace_back(one);
  }
  if (!option.values.empty()) option.completion = Completion::values;
  if (value.starts_with("FILE")) option.completion = Completion::files;
  if (value.starts_with("DIR")) option.completion = Completion::folders;
}

OptionNode option_node(const CLI::Option& option, const KnownValues& known) {
  OptionNode node{.name = option.get_name(), .description = option.get_description(), .group = option.get_group()};
  node.argument = option.get_positional();
  node.repeated = option.get_expected_max() > 1;
  node.required = option.get_required();
  if (!node.argument) node.placeholder = option.get_option_text();
  set_completion(node, known);
  return node;
}

std::vector<OptionNode> option_nodes(const CLI::App& parser, const KnownValues& known) {
  std::vector<OptionNode> nodes;
  for (const CLI::Option* option : parser.get_options()) nodes.push_back(option_node(*option, known));
  return nodes;
}

}  // namespace

CommandTree command_tree(const CLI::App& app) {
  const KnownValues known = known_values(app);
  CommandTree tree{
      .about = app.get_description(), .more = app.get_footer(), .options = option_nodes(app, known), .commands = {}};
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    tree.commands.push_back({.name = command->get_name(),
                             .about = command->get_description(),
                             .more = command->get_footer(),
                             .options = option_nodes(*command, known)});
  }
  return tree;
}

}  // namespace longrun
