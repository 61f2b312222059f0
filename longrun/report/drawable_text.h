#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace longrun {

/// Returns the text with the characters that a picture can show. gnuplot draws a character that no font has as a box
/// with its code, of a size that covers the whole picture.
///
/// - A flag becomes the two letters of its country.
/// - A character that `has_font` refuses, or a sequence of such characters that is joined into one, becomes a square.
/// - Invisible joiners and variants are left out; invalid UTF-8 becomes a question mark.
///
/// Latin, Greek and Cyrillic letters, digits and common punctuation are in every font; `has_font` is not asked for
/// them.
std::string drawable_text(std::string_view text, const std::function<bool(char32_t)>& has_font);

/// Returns drawable_text() for the fonts that are installed: fontconfig's `fc-list`, on which gnuplot's packages
/// depend, is asked once per character. Without it, no font has the character.
std::string drawable_text(std::string_view text);

}  // namespace longrun
