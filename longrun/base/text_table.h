#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace longrun {

/// Returns a table as text, a line per row. Columns are as wide as their widest cell and two blanks apart. `alignment`
/// has a letter per column: 'l' for cells at the left, 'r' for cells at the right. A cell in a left column that is
/// wider than `widest` characters moves the rest of its row to the right.
std::string text_table(const std::vector<std::vector<std::string>>& rows, std::string_view alignment,
                       std::size_t widest = 40);

}  // namespace longrun
