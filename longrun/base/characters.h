#pragma once

#include <string>
#include <string_view>

namespace longrun {

/// Returns the characters of a UTF-8 text. A byte that is not UTF-8 is a character of its own, with a number above
/// those of Unicode.
std::u32string characters_of(std::string_view text);

}  // namespace longrun
