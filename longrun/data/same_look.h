#pragma once

#include <string>
#include <string_view>

namespace longrun {

/// Returns a text that is the same for labels that look the same: in lower case (of ASCII letters), accents of Latin
/// letters as characters of their own, as in Unicode's form NFD, full-width characters as those of ASCII, one space for
/// any blanks, and without characters that have no width. Bytes that are not UTF-8 stay.
std::string same_look(std::string_view label);

/// Returns a text that is the same for labels that are probably spellings of the same word, although they do not look
/// exactly the same. That of same_look(), with two letters for an umlaut and a sharp s, without blanks, hyphens and
/// underscores that are not between digits or the sign of a number, without points, commas and apostrophes beside
/// letters, with Latin letters for those of Cyrillic and Greek that look like them, and in words of at least two
/// letters with o and l for the digits 0 and 1.
std::string plain_spelling(std::string_view label);

/// Returns the text of same_look() without the accents of its letters, and with the nearest letters of ASCII for others
/// of Latin: sao paulo, munchen, lodz. It is the same for a label and for one in which accents are left out.
std::string without_marks(std::string_view label);

/// Returns a text that is the same for labels that differ in what plain_spelling() leaves out, or in their accents.
std::string bare_spelling(std::string_view label);

/// Returns a text that is the same for labels whose characters look alike in many fonts: capital I, small l, 1 and |,
/// and capital O and 0.
std::string like_glyphs(std::string_view label);

/// Returns whether a text has a character that formats others and cannot be seen itself, such as a direction mark or a
/// space without width. Joiners do not count: scripts and emoji need them.
bool has_format_character(std::string_view text);

}  // namespace longrun
