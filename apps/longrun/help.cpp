// The commands that describe the command line itself: help, completion, man.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "apps/longrun/command_tree.h"
#include "apps/longrun/commands.h"
#include "longrun/base/input_error.h"
#include "longrun/base/nearest_name.h"

namespace longrun {
namespace {

void print_help(const CLI::App& app, const std::optional<std::string>& command) {
  if (!command) {
    // Not app.help(), which prints the help of the subcommand that was given: 'help'.
    fmt::print("{}", app.get_formatter()->make_help(&app, "longrun", CLI::AppFormatMode::Normal));
    return;
  }
  std::vector<std::string> names;
  for (const CLI::App* parser : app.get_subcommands([](const CLI::App*) { return true; })) {
    if (parser->get_name() == *command) {
      fmt::print("{}", parser->help("longrun"));
      return;
    }
    names.push_back(parser->get_name());
  }
  throw InputError(
      fmt::format("unknown subcommand '{}'{} ('longrun --help' lists them)", *command, did_you_mean(*command, names)));
}

}  // namespace

Command add_help(CLI::App& app) {
  CLI::App* parser = add_subcommand(app, "help", "Print the help of a command",
                                    "Examples:\n"
                                    "  longrun help\n"
                                    "  longrun help play      the same as 'longrun play --help'");
  const auto command = std::make_shared<std::optional<std::string>>();
  add_optional_argument(*parser, "COMMAND", *command, "a command (default: an overview of all commands)");
  return {parser, [&app, command] { print_help(app, *command); }};
}

Command add_completion(CLI::App& app) {
  CLI::App* parser = add_subcommand(
      app, "completion", "Print the completion script of a shell",
      "The script completes commands, options, and the names of policies, bandits and figures. 'cmake --install' puts\n"
      "the scripts where the shells find them.\n\n"
      "Examples:\n"
      "  source <(longrun completion bash)                                  for this shell\n"
      "  longrun completion bash > ~/.local/share/bash-completion/completions/longrun\n"
      "  longrun completion fish > ~/.config/fish/completions/longrun.fish");
  const auto shell = std::make_shared<std::string>();
  add_argument(*parser, "SHELL", *shell, "bash, zsh or fish");
  return {parser, [&app, shell] { fmt::print("{}", completion_script(command_tree(app), *shell)); }};
}

Command add_man(CLI::App& app) {
  CLI::App* parser = add_subcommand(app, "man", "Print the manual page, in the format of man(1)",
                                    "'cmake --install' installs it as share/man/man1/longrun.1.\n\n"
                                    "Examples:\n  longrun man | man -l -");
  return {parser, [&app] { fmt::print("{}", manual_page(command_tree(app))); }};
}

}  // namespace longrun
