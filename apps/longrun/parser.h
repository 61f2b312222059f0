#pragma once

#include <optional>
#include <string>
#include <vector>

// CLI11 is slow to compile. Only the .cpp files that need its types include it: command_tree, help, main, page_option,
// parser and study.
namespace CLI {
class App;
}

namespace longrun {

/// Adds a subcommand. `about` is one line; `more` is printed below the options.
CLI::App* add_subcommand(CLI::App& app, const std::string& name, const std::string& about, const std::string& more);

/// Adds an option with a value. The value is kept as text, so that errors about it are longrun's and not CLI11's.
/// Options of a group are printed under the group's heading.
void add_value(CLI::App& parser, const std::string& name, const std::string& placeholder,
               std::optional<std::string>& text, const std::string& description,
               const std::optional<std::string>& group = std::nullopt);
/// Adds an option that can be given several times, with one value each.
void add_repeated_value(CLI::App& parser, const std::string& name, const std::string& placeholder,
                        std::vector<std::string>& texts, const std::string& description);
/// Adds an option without a value.
void add_flag(CLI::App& parser, const std::string& name, bool& set, const std::string& description);
/// Adds an argument that is required.
void add_argument(CLI::App& parser, const std::string& name, std::string& text, const std::string& description);
/// Adds an argument that is optional.
void add_optional_argument(CLI::App& parser, const std::string& name, std::optional<std::string>& text,
                           const std::string& description);
/// Adds an argument that takes any number of values; at least one if it is required.
void add_arguments(CLI::App& parser, const std::string& name, std::vector<std::string>& texts,
                   const std::string& description, bool required = false);

}  // namespace longrun
