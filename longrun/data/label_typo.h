#pragma once

#include <string_view>

namespace longrun {

/// Returns whether a label is probably a typo of another one. Both are texts of characters (without_marks()). They
/// differ in one letter that is replaced, inserted or left out, or in two neighbours that are exchanged, in a word of
/// at least five letters of an alphabet. Differences that tell words apart are none:
///
/// - the first letter: night and light; symmetric and asymmetric;
/// - the last letter, unless it is left out or typed twice, and is no ending: groupA and groupB, control and controls;
/// - words that differ in one letter and are known to be two, such as macro and micro.
///
/// O(length).
bool is_probable_typo(std::u32string_view label, std::u32string_view meant);

/// Returns whether a character is a letter of Latin, Greek or Cyrillic. Words of other scripts are short, and a letter
/// of them can be a word.
bool is_alphabetic(char32_t character);

}  // namespace longrun
