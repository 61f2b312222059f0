#pragma once

#include <optional>
#include <string>
#include <vector>

// CLI11 takes long to compile: parser.cpp and main.cpp are all that include it.
namespace CLI {
class App;
}

namespace longrun {

/// A subcommand. `about` is one line, `more` stands below its options.
CLI::App* add_subcommand(CLI::App& app, const std::string& name, const std::string& about, const std::string& more);

/// An option with a value, kept as text: the error about a wrong value is then ours to word. Options of a group stand
/// under a heading of their own.
void add_value(CLI::App& parser, const std::string& name, const std::string& placeholder,
               std::optional<std::string>& text, const std::string& description,
               const std::optional<std::string>& group = std::nullopt);
void add_flag(CLI::App& parser, const std::string& name, bool& set, const std::string& description);
/// An argument that must be there.
void add_argument(CLI::App& parser, const std::string& name, std::string& text, const std::string& description);
/// Any number of arguments, or at least one.
void add_arguments(CLI::App& parser, const std::string& name, std::vector<std::string>& texts,
                   const std::string& description, bool required = false);

}  // namespace longrun
