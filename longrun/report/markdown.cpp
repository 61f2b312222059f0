#include "longrun/report/markdown.h"

#include <algorithm>
#include <cctype>

#include "longrun/base/text.h"

namespace longrun {

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

std::string markdown_lines(std::string_view text, std::string_view indent) { return wrapped(text, indent) + '\n'; }

}  // namespace longrun
