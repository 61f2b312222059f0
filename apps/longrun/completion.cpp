#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "apps/longrun/command_tree.h"
#include "longrun/base/input_error.h"
#include "longrun/base/text.h"

namespace longrun {
namespace {

std::string on_one_line(const std::string& text) { return replaced(text, "\n", " "); }

/// Returns the names of all options as a user types them.
std::vector<std::string> option_names(const std::vector<OptionNode>& options) {
  std::vector<std::string> names;
  for (const OptionNode& option : options) {
    if (!option.argument) names.push_back(option.name);
  }
  return names;
}

std::vector<std::string> command_names(const CommandTree& tree) {
  std::vector<std::string> names;
  for (const CommandNode& command : tree.commands) names.push_back(command.name);
  return names;
}

/// Returns the first argument of a command, or nullptr. No command has two arguments with different completions.
const OptionNode* argument_of(const CommandNode& command) {
  const auto found =
      std::find_if(command.options.begin(), command.options.end(), [](const OptionNode& o) { return o.argument; });
  return found == command.options.end() ? nullptr : &*found;
}

// ---- bash

constexpr std::string_view kBashStart = R"sh(# bash completion for longrun, printed by 'longrun completion bash'
_longrun() {
  local IFS=$' \t\n' word previous="" command="" option value kind="" candidates="" glued="" i
  local -a tokens=()
  COMPREPLY=()
  # Bash splits words at '=', ':' and '@'. Join the parts again.
  for ((i = 1; i <= COMP_CWORD; ++i)); do
    word=${COMP_WORDS[i]}
    if [[ ${#tokens[@]} -gt 0 && ( $word == [=:@] || ( $glued && $word != -* ) ) ]]; then
      tokens[${#tokens[@]}-1]+=$word
    else
      tokens+=("$word")
    fi
    glued=""
    if [[ $word == [=:@] ]]; then glued=1; fi
  done
  local last=$((${#tokens[@]} - 1))
  for ((i = 0; i < last; ++i)); do
    if [[ ${tokens[i]} != -* ]]; then command=${tokens[i]}; break; fi
  done
  if ((last > 0)); then previous=${tokens[last-1]}; fi
  if [[ ${tokens[last]} == --*=* ]]; then
    option=${tokens[last]%%=*} value=${tokens[last]#*=}
  else
    option=$previous value=${tokens[last]}
  fi
  case "$command $option" in
)sh";

constexpr std::string_view kBashEnd = R"sh(  esac
  case $kind in
    values) mapfile -t COMPREPLY < <(compgen -W "$candidates" -- "$value") ;;
    files) mapfile -t COMPREPLY < <(compgen -f -- "$value") ;;
    folders) mapfile -t COMPREPLY < <(compgen -d -- "$value") ;;
  esac
  if [[ $kind == files || $kind == folders ]]; then compopt -o filenames 2>/dev/null; fi
  if [[ ${COMPREPLY[0]-} == *: ]]; then compopt -o nospace 2>/dev/null; fi
  # Bash replaces only the part after the last ':' or '@'.
  if [[ $value == *[:@]* && ${COMP_WORDS[COMP_CWORD]} != "$value" ]]; then
    local before=${value%"${value##*[:@]}"}
    COMPREPLY=("${COMPREPLY[@]#"$before"}")
  fi
  return 0
}
complete -F _longrun longrun
)sh";

/// Returns the assignments that select a completion: kind=values candidates="a b".
std::string bash_selection(const OptionNode& option) {
  switch (option.completion) {
    case Completion::values:
      return fmt::format("kind=values candidates=\"{}\"", fmt::join(option.values, " "));
    case Completion::files:
      return "kind=files";
    case Completion::folders:
      return "kind=folders";
    case Completion::nothing:
      break;
  }
  return "";
}

std::string bash_script(const CommandTree& tree) {
  std::string script(kBashStart);
  for (const CommandNode& command : tree.commands) {
    for (const OptionNode& option : command.options) {
      if (option.placeholder.empty()) continue;
      script += fmt::format("    \"{} {}\") {} ;;\n", command.name, option.name, bash_selection(option));
    }
  }
  script += "    *)\n      value=${tokens[last]}\n      case \"$command $value\" in\n";
  script += fmt::format("        \" \"*) kind=values candidates=\"{} {}\" ;;\n", fmt::join(command_names(tree), " "),
                        fmt::join(option_names(tree.options), " "));
  for (const CommandNode& command : tree.commands) {
    script += fmt::format("        \"{} -\"*) kind=values candidates=\"{}\" ;;\n", command.name,
                          fmt::join(option_names(command.options), " "));
    const OptionNode* argument = argument_of(command);
    if (argument != nullptr)
      script += fmt::format("        \"{} \"*) {} ;;\n", command.name, bash_selection(*argument));
    else
      script += fmt::format("        \"{} \"*) kind=values candidates=\"{}\" ;;\n", command.name,
                            fmt::join(option_names(command.options), " "));
  }
  script += "      esac ;;\n";
  return script.append(kBashEnd);
}

// ---- zsh

/// Returns the text between single quotes.
std::string single_quoted(const std::string& text) { return "'" + replaced(text, "'", "'\\''") + "'"; }

/// Returns the text with escapes for a specification of _arguments, in which ':', '[' and ']' are special.
std::string zsh_text(std::string text) {
  text = replaced(std::move(text), "\\", "\\\\");
  for (const std::string_view special : {":", "[", "]"})
    text = replaced(std::move(text), special, "\\" + std::string(special));
  return text;
}

std::string zsh_action(const OptionNode& option) {
  switch (option.completion) {
    case Completion::values:
      return "(" + zsh_text(fmt::format("{}", fmt::join(option.values, " "))) + ")";
    case Completion::files:
      return "_files";
    case Completion::folders:
      return "_files -/";
    case Completion::nothing:
      break;
  }
  return "";
}

std::string zsh_specification(const OptionNode& option) {
  const std::string about = zsh_text(on_one_line(option.description));
  if (option.argument)
    return single_quoted(
        fmt::format("{}:{}:{}", option.repeated ? "*" : "", zsh_text(option.name), zsh_action(option)));
  if (option.placeholder.empty()) return single_quoted(fmt::format("{}[{}]", option.name, about));
  return single_quoted(
      fmt::format("{}=[{}]:{}:{}", option.name, about, zsh_text(option.placeholder), zsh_action(option)));
}

std::string zsh_script(const CommandTree& tree) {
  std::string script =
      "#compdef longrun\n# zsh completion for longrun, printed by 'longrun completion zsh'\n"
      "_longrun() {\n  local context state state_descr line\n  typeset -A opt_args\n  local -a commands\n  "
      "commands=(\n";
  for (const CommandNode& command : tree.commands)
    script += fmt::format("    {}\n", single_quoted(command.name + ":" + command.about));
  script += "  )\n  _arguments -C";
  for (const OptionNode& option : tree.options) script += " " + zsh_specification(option);
  script +=
      " '1:command:->command' '*::argument:->arguments'\n"
      "  case $state in\n    command) _describe -t commands command commands ;;\n"
      "    arguments)\n      case $line[1] in\n";
  for (const CommandNode& command : tree.commands) {
    script += fmt::format("        {})\n          _arguments", command.name);
    for (const OptionNode& option : command.options) script += " \\\n            " + zsh_specification(option);
    script += "\n          ;;\n";
  }
  return script +
         "      esac\n      ;;\n  esac\n}\n"
         "if [[ $funcstack[1] == _longrun ]]; then _longrun \"$@\"; else compdef _longrun longrun; fi\n";
}

// ---- fish

/// Returns the text between single quotes, in which fish has only two escapes.
std::string fish_quoted(const std::string& text) {
  return "'" + replaced(replaced(text, "\\", "\\\\"), "'", "\\'") + "'";
}

std::string fish_action(const OptionNode& option) {
  switch (option.completion) {
    case Completion::values:
      return " -x -a " + fish_quoted(fmt::format("{}", fmt::join(option.values, " ")));
    case Completion::files:
      return " -r -F";
    case Completion::folders:
      return " -x -a '(__fish_complete_directories)'";
    case Completion::nothing:
      break;
  }
  return " -x";
}

std::string fish_line(const std::string& condition, const OptionNode& option) {
  std::string line = fmt::format("complete -c longrun -n {}", fish_quoted(condition));
  if (option.argument) {
    if (option.completion == Completion::files) return line + " -F\n";
    const std::string action = fish_action(option);
    return line + action.substr(std::string_view(" -x").size()) + "\n";
  }
  line += " -l " + option.name.substr(std::string_view("--").size());
  if (!option.placeholder.empty()) line += fish_action(option);
  return line + " -d " + fish_quoted(on_one_line(option.description)) + "\n";
}

std::string fish_script(const CommandTree& tree) {
  std::string script = "# fish completion for longrun, printed by 'longrun completion fish'\ncomplete -c longrun -f\n";
  for (const OptionNode& option : tree.options) script += fish_line("__fish_use_subcommand", option);
  for (const CommandNode& command : tree.commands) {
    script += fmt::format("complete -c longrun -n __fish_use_subcommand -a {} -d {}\n", command.name,
                          fish_quoted(command.about));
    for (const OptionNode& option : command.options)
      script += fish_line("__fish_seen_subcommand_from " + command.name, option);
  }
  return script;
}

}  // namespace

std::string completion_script(const CommandTree& tree, const std::string& shell) {
  if (shell == "bash") return bash_script(tree);
  if (shell == "zsh") return zsh_script(tree);
  if (shell == "fish") return fish_script(tree);
  throw InputError(fmt::format("unknown shell '{}'; allowed: {}", shell, fmt::join(kShells, ", ")));
}

}  // namespace longrun
