#include "longrun/report/markdown.h"

#include <algorithm>
#include <cctype>

#include "longrun/base/split.h"

namespace longrun {
namespace {

constexpr std::size_t kColumns = 100;

/// Returns the number of characters in a UTF-8 text: all bytes but those that continue a character.
std::size_t columns_of(std::string_view text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xc0U) != 0x80U; }));
}

}  // namespace

std::string markdown_cell(std::string text) {
  std::replace(text.begin(), text.end(), '|', '/');
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text;
}

std::string markdown_anchor(std::string_view heading) {
  std::string result;
  for (const char c : heading) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == ' ') result += '-';
    if (std::isalnum(byte) != 0 || c == '-' || c == '_' || byte >= 0x80) {
      result += static_cast<char>(std::tolower(byte));
    }
  }
  return result;
}

std::string markdown_lines(std::string_view text, std::string_view indent) {
  std::string lines;
  std::size_t column = 0;  // columns used in the current line
  for (const std::string_view word : split(text, ' ')) {
    if (word.empty()) continue;
    const std::size_t width = columns_of(word);
    const bool first = lines.empty();
    if (!first && column + 1 + width > kColumns) {
      lines += '\n';
      lines += indent;
      column = columns_of(indent);
    } else if (!first) {
      lines += ' ';
      ++column;
    }
    lines += word;
    column += width;
  }
  return lines + '\n';
}

}  // namespace longrun
