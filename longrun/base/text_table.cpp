#include "longrun/base/text_table.h"

#include <algorithm>

#include "longrun/base/text.h"

namespace longrun {

std::string text_table(const std::vector<std::vector<std::string>>& rows, std::string_view alignment,
                       std::size_t widest) {
  std::vector<std::size_t> widths(alignment.size());
  for (const auto& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      const std::size_t width = columns_of(row[i]);
      widths[i] = std::max(widths[i], alignment[i] == 'l' ? std::min(width, widest) : width);
    }
  }
  std::string text;
  for (const auto& row : rows) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i) {
      const std::size_t width = columns_of(row[i]);
      const std::string blanks(width < widths[i] ? widths[i] - width : 0, ' ');
      line += (i == 0 ? "" : "  ") + (alignment[i] == 'l' ? row[i] + blanks : blanks + row[i]);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  return text;
}

}  // namespace longrun
