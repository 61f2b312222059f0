#include "apps/longrun/page_option.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <exception>
#include <filesystem>
#include <set>
#include <system_error>
#include <utility>

#include "longrun/base/input_error.h"
#include "longrun/base/text.h"
#include "longrun/base/write_file.h"

namespace longrun {
namespace {

/// Returns the text as one word of a shell.
std::string shell_word(const std::string& text) {
  constexpr std::string_view kPlain = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-+=:,./@%";
  if (!text.empty() && text.find_first_not_of(kPlain) == std::string::npos) return text;
  return fmt::format("'{}'", replaced(text, "'", R"('\'')"));
}

}  // namespace

void check_page_path(const std::string& page, const std::optional<std::string>& history) {
  if (std::filesystem::path(page).extension() != ".html")
    throw InputError(fmt::format("--report {}: the file's name must end in .html", page));
  std::error_code ignored;
  if (history && std::filesystem::equivalent(page, *history, ignored))
    throw InputError(fmt::format("--report {}: is the file of the history, which would be lost", page));
}

std::string command_line(const CLI::App& parser) {
  std::string text = fmt::format("longrun {}", parser.get_name());
  std::set<const CLI::Option*> written;  // an option with several values is in the order once for each of them
  for (const CLI::Option* option : parser.parse_order()) {
    if (!written.insert(option).second) continue;
    const std::string name = option->get_positional() ? "" : " " + option->get_name();
    const bool flag = option->get_expected_max() == 0;
    if (flag) text += name;
    for (const std::string& value : flag ? std::vector<std::string>{} : option->results()) {
      text += fmt::format("{} {}", name, shell_word(value));
    }
  }
  return text;
}

PageOrigin page_origin(const CLI::App& parser, const std::optional<std::string>& history, std::string bytes) {
  PageOrigin origin{.command = command_line(parser)};
  if (!history) return origin;
  const bool standard_input = history == "-";
  origin.history_file = standard_input ? "history.csv" : std::filesystem::path(*history).filename().string();
  origin.history = std::move(bytes);
  if (standard_input) origin.command += " < history.csv";
  if (!standard_input && origin.history_file != *history) {
    origin.sentences.push_back(
        fmt::format("The command reads the history from {}; change this to where you save it.", *history));
  }
  return origin;
}

void write_each(const std::vector<std::function<void()>>& writers) {
  std::exception_ptr failure;
  for (const auto& write : writers) {
    try {
      write();
    } catch (const std::exception& error) {
      if (failure) {
        say(error.what());
      } else {
        failure = std::current_exception();
      }
    }
  }
  if (failure) std::rethrow_exception(failure);
}

void write_page(const std::string& path, const AdvicePage& page) {
  check_folder_of(path);
  write_file(path, make_advice_page(page));
}

}  // namespace longrun
