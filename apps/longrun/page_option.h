#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "apps/longrun/commands.h"
#include "longrun/report/advice/advice_page.h"

namespace longrun {

/// Throws InputError unless the name of the page ends in .html and it is not the file of the history.
void check_page_path(const std::string& page, const std::optional<std::string>& history);

/// Returns the options and arguments of a parsed subcommand as a shell reads them, after "longrun".
std::string command_line(const CLI::App& parser);

/// Returns what a page needs to be made again. `history` is the option that names the file, and `bytes` its content.
PageOrigin page_origin(const CLI::App& parser, const std::optional<std::string>& history, std::string bytes);

/// Calls each function, even if one before it fails. Then the first failure is thrown; others are printed on standard
/// error.
void write_each(const std::vector<std::function<void()>>& writers);

/// Writes the page. Throws SystemError if the file cannot be written or its folder does not exist.
void write_page(const std::string& path, const AdvicePage& page);

}  // namespace longrun
