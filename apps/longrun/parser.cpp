#include "apps/longrun/parser.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>

namespace longrun {
namespace {

/// The text after the name of an argument in the help. CLI11 would print "TEXT REQUIRED" in place of an empty one.
constexpr const char* kNoPlaceholder = " ";

/// Returns what is wrong with the value of an option, or an empty text.
std::string missing_value(const std::string& value) {
  if (value.empty()) return "needs a value";
  return value.starts_with("--") ? fmt::format("needs a value, but {} follows", value) : "";
}

}  // namespace

CLI::App* add_subcommand(CLI::App& app, const std::string& name, const std::string& about, const std::string& more) {
  CLI::App* parser = app.add_subcommand(name, about);
  parser->footer(more);
  return parser;
}

void add_value(CLI::App& parser, const std::string& name, const std::string& placeholder,
               std::optional<std::string>& text, const std::string& description,
               const std::optional<std::string>& group) {
  CLI::Option* option = parser.add_option(name, text, description)->option_text(placeholder)->check(missing_value);
  if (group) option->group(*group);
}

void add_repeated_value(CLI::App& parser, const std::string& name, const std::string& placeholder,
                        std::vector<std::string>& texts, const std::string& description) {
  parser.add_option(name, texts, description)->option_text(placeholder)->allow_extra_args(false)->check(missing_value);
}

void add_flag(CLI::App& parser, const std::string& name, bool& set, const std::string& description) {
  parser.add_flag(name, set, description)->disable_flag_override();
}

void add_argument(CLI::App& parser, const std::string& name, std::string& text, const std::string& description) {
  parser.add_option(name, text, description)->required()->option_text(kNoPlaceholder);
}

void add_optional_argument(CLI::App& parser, const std::string& name, std::optional<std::string>& text,
                           const std::string& description) {
  parser.add_option(name, text, description)->option_text(kNoPlaceholder);
}

void add_arguments(CLI::App& parser, const std::string& name, std::vector<std::string>& texts,
                   const std::string& description, bool required) {
  parser.add_option(name, texts, description)->required(required)->option_text("...");
}

}  // namespace longrun
