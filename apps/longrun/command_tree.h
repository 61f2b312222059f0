#pragma once

#include <string>
#include <vector>

#include "apps/longrun/parser.h"

namespace longrun {

/// The kind of values that shells offer for an option.
enum class Completion { nothing, values, files, folders };

/// One option or argument of a command.
struct OptionNode {
  std::string name;           ///< "--policy", or "DIR" for an argument
  std::string placeholder{};  ///< of the value; empty for a flag
  std::string description{};  ///< may have several lines
  std::string group{};        ///< the heading in the help
  bool argument = false;      ///< has no name on the command line
  bool repeated = false;      ///< takes several values
  bool required = false;
  Completion completion = Completion::nothing;
  std::vector<std::string> values{};  ///< for Completion::values
};

/// One subcommand.
struct CommandNode {
  std::string name;
  std::string about;  ///< one line
  std::string more;   ///< the text below the options in the help: remarks and examples
  std::vector<OptionNode> options;
};

/// The command line as data: the source of the shell completions and of the manual page.
struct CommandTree {
  std::string about;
  std::string more;
  std::vector<OptionNode> options;
  std::vector<CommandNode> commands;
};

/// Returns the options and subcommands that the parser has.
CommandTree command_tree(const CLI::App& app);

/// The shells that completion_script() supports.
inline const std::vector<std::string> kShells{"bash", "zsh", "fish"};
/// Returns the completion script of a shell. Throws InputError for a shell that is not one of kShells.
std::string completion_script(const CommandTree& tree, const std::string& shell);

/// Returns the manual page as roff with the macros of man(7).
std::string manual_page(const CommandTree& tree);

}  // namespace longrun
