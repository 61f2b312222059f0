#pragma once

#include <string>
#include <string_view>

namespace longrun {

/// Returns the text as one cell of a table, or as part of one line: '|' becomes '/', and a line break a space.
std::string markdown_cell(std::string text);

/// Returns the anchor of a heading: lower case, spaces as dashes, and otherwise only letters, digits, '-' and '_'.
std::string markdown_anchor(std::string_view heading);

/// Returns the text as wrapped() breaks it into lines, with a line break at the end.
std::string markdown_lines(std::string_view text, std::string_view indent = "");

}  // namespace longrun
