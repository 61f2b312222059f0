#include "longrun/base/characters.h"

#include <algorithm>
#include <cstddef>

#include "longrun/base/text.h"

namespace longrun {

std::u32string characters_of(std::string_view text) {
  constexpr char32_t kInvalid = 0x110000;
  std::u32string characters;
  characters.reserve(text.size());
  while (!text.empty()) {
    const auto byte = static_cast<unsigned char>(text[0]);
    const std::size_t length = byte < 0x80 ? 1 : byte >= 0xF0 ? 4 : byte >= 0xE0 ? 3 : 2;
    const bool is_valid = length == 1 || is_utf8(text.substr(0, length));
    if (length == 1 || !is_valid) {
      characters += is_valid ? byte : kInvalid + byte;
      text.remove_prefix(1);
      continue;
    }
    char32_t code = byte & (0x7FU >> length);
    for (std::size_t i = 1; i < length; ++i) code = (code << 6U) | (static_cast<unsigned char>(text[i]) & 0x3FU);
    characters += code;
    text.remove_prefix(length);
  }
  return characters;
}

}  // namespace longrun
