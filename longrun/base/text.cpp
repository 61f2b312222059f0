#include "longrun/base/text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "longrun/base/characters.h"
#include "longrun/base/split.h"

namespace longrun {

/// All bytes but those that continue a character.
std::size_t columns_of(std::string_view text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xc0U) != 0x80U; }));
}

std::string replaced(std::string text, std::string_view from, std::string_view to) {
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
  return text;
}

bool is_utf8(std::string_view bytes) {
  while (!bytes.empty()) {
    const Character character = first_character(bytes);
    if (!character.is_valid()) return false;
    bytes.remove_prefix(character.bytes);
  }
  return true;
}

namespace {

/// Returns whether a UTF-8 text has a control character (C0, C1, delete) or a line or paragraph separator.
bool has_control_character(std::string_view text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if (byte < ' ' || byte == 0x7f) return true;
    if (byte == 0xc2 && static_cast<unsigned char>(text[i + 1]) < 0xa0) return true;
    if (text.substr(i).starts_with("\xE2\x80\xA8") || text.substr(i).starts_with("\xE2\x80\xA9")) return true;
  }
  return false;
}

}  // namespace

std::string_view problem_of_name(std::string_view text) {
  constexpr std::string_view kNoBreakSpace = "\xC2\xA0";
  if (!is_utf8(text)) return "is not UTF-8";
  if (has_control_character(text)) return "has a control character or a line break";
  const bool has_outer_space =
      text.starts_with(' ') || text.ends_with(' ') || text.starts_with(kNoBreakSpace) || text.ends_with(kNoBreakSpace);
  return has_outer_space ? "begins or ends with a space" : "";
}

std::string wrapped(std::string_view text, std::string_view indent) {
  std::string lines;
  std::size_t column = 0;  // columns used in the current line
  for (const std::string_view word : split(text, ' ')) {
    if (word.empty()) continue;
    const std::size_t width = columns_of(word);
    const bool first = lines.empty();
    if (!first && column + 1 + width > kTextColumns) {
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
  return lines;
}

std::string lower_case(std::string text) {
  for (char& c : text) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return text;
}

std::string capitalised(std::string text) {
  if (!text.empty() && text[0] >= 'a' && text[0] <= 'z') text[0] = static_cast<char>(text[0] - 'a' + 'A');
  return text;
}

std::string share_text(double share) {
  if (share > 0.99 && share < 1) return "over 99 %";
  if (share < 0.01 && share > 0) return "under 1 %";
  return fmt::format("{:.0f} %", 100 * share);
}

std::string paragraph(const std::vector<std::string>& sentences) {
  return wrapped(fmt::format("{}", fmt::join(sentences, " ")));
}

}  // namespace longrun
