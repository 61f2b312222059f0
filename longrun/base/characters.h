#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace longrun {

/// A character of a UTF-8 text.
struct Character {
  char32_t code = 0;
  std::size_t bytes = 1;  ///< that it takes

  /// Returns whether it is one of Unicode, and no byte that is not UTF-8.
  bool is_valid() const { return code <= 0x10FFFF; }
};

/// Returns the first character of a text that is not empty. A byte that is not UTF-8 is a character of its own, with a
/// number above those of Unicode.
Character first_character(std::string_view text);

/// Returns all characters of a text.
std::u32string characters_of(std::string_view text);

}  // namespace longrun
