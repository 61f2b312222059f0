#include "longrun/base/characters.h"

#include <array>

namespace longrun {

Character first_character(std::string_view text) {
  constexpr char32_t kNoUnicode = 0x110000;
  constexpr std::array<char32_t, 5> kSmallest{0, 0, 0x80, 0x800, 0x10000};  // by length; smaller codes are shorter
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  if (byte(0) < 0x80) return {.code = byte(0), .bytes = 1};
  const Character invalid{.code = kNoUnicode + byte(0), .bytes = 1};
  const std::size_t length = byte(0) >= 0xF0 ? 4 : byte(0) >= 0xE0 ? 3 : 2;
  if (byte(0) < 0xC2 || byte(0) > 0xF4 || text.size() < length) return invalid;
  char32_t code = byte(0) & (0x7FU >> length);
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0U) != 0x80) return invalid;
    code = (code << 6U) | (byte(i) & 0x3FU);
  }
  const bool is_surrogate = code >= 0xD800 && code <= 0xDFFF;
  const Character character{.code = code, .bytes = length};
  return code < kSmallest[length] || is_surrogate || !character.is_valid() ? invalid : character;
}

std::u32string characters_of(std::string_view text) {
  std::u32string characters;
  characters.reserve(text.size());
  while (!text.empty()) {
    const auto [code, bytes] = first_character(text);
    characters += code;
    text.remove_prefix(bytes);
  }
  return characters;
}

}  // namespace longrun
