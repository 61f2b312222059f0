#include "longrun/data/same_look.h"

#include <algorithm>
#include <cstdint>
#include <iterator>

#include "longrun/base/characters.h"
#include "longrun/base/parse_number.h"

namespace longrun {
namespace {

/// A Latin letter with an accent, and the two characters that look the same.
struct Accented {
  std::uint16_t letter;
  char base;
  std::uint16_t accent;
};
/// The letters from U+00C0 to U+017F that Unicode decomposes, ascending.
constexpr Accented kAccented[] = {
    {0x0C0, 'A', 0x300}, {0x0C1, 'A', 0x301}, {0x0C2, 'A', 0x302}, {0x0C3, 'A', 0x303}, {0x0C4, 'A', 0x308},
    {0x0C5, 'A', 0x30A}, {0x0C7, 'C', 0x327}, {0x0C8, 'E', 0x300}, {0x0C9, 'E', 0x301}, {0x0CA, 'E', 0x302},
    {0x0CB, 'E', 0x308}, {0x0CC, 'I', 0x300}, {0x0CD, 'I', 0x301}, {0x0CE, 'I', 0x302}, {0x0CF, 'I', 0x308},
    {0x0D1, 'N', 0x303}, {0x0D2, 'O', 0x300}, {0x0D3, 'O', 0x301}, {0x0D4, 'O', 0x302}, {0x0D5, 'O', 0x303},
    {0x0D6, 'O', 0x308}, {0x0D9, 'U', 0x300}, {0x0DA, 'U', 0x301}, {0x0DB, 'U', 0x302}, {0x0DC, 'U', 0x308},
    {0x0DD, 'Y', 0x301}, {0x0E0, 'a', 0x300}, {0x0E1, 'a', 0x301}, {0x0E2, 'a', 0x302}, {0x0E3, 'a', 0x303},
    {0x0E4, 'a', 0x308}, {0x0E5, 'a', 0x30A}, {0x0E7, 'c', 0x327}, {0x0E8, 'e', 0x300}, {0x0E9, 'e', 0x301},
    {0x0EA, 'e', 0x302}, {0x0EB, 'e', 0x308}, {0x0EC, 'i', 0x300}, {0x0ED, 'i', 0x301}, {0x0EE, 'i', 0x302},
    {0x0EF, 'i', 0x308}, {0x0F1, 'n', 0x303}, {0x0F2, 'o', 0x300}, {0x0F3, 'o', 0x301}, {0x0F4, 'o', 0x302},
    {0x0F5, 'o', 0x303}, {0x0F6, 'o', 0x308}, {0x0F9, 'u', 0x300}, {0x0FA, 'u', 0x301}, {0x0FB, 'u', 0x302},
    {0x0FC, 'u', 0x308}, {0x0FD, 'y', 0x301}, {0x0FF, 'y', 0x308}, {0x100, 'A', 0x304}, {0x101, 'a', 0x304},
    {0x102, 'A', 0x306}, {0x103, 'a', 0x306}, {0x104, 'A', 0x328}, {0x105, 'a', 0x328}, {0x106, 'C', 0x301},
    {0x107, 'c', 0x301}, {0x108, 'C', 0x302}, {0x109, 'c', 0x302}, {0x10A, 'C', 0x307}, {0x10B, 'c', 0x307},
    {0x10C, 'C', 0x30C}, {0x10D, 'c', 0x30C}, {0x10E, 'D', 0x30C}, {0x10F, 'd', 0x30C}, {0x112, 'E', 0x304},
    {0x113, 'e', 0x304}, {0x114, 'E', 0x306}, {0x115, 'e', 0x306}, {0x116, 'E', 0x307}, {0x117, 'e', 0x307},
    {0x118, 'E', 0x328}, {0x119, 'e', 0x328}, {0x11A, 'E', 0x30C}, {0x11B, 'e', 0x30C}, {0x11C, 'G', 0x302},
    {0x11D, 'g', 0x302}, {0x11E, 'G', 0x306}, {0x11F, 'g', 0x306}, {0x120, 'G', 0x307}, {0x121, 'g', 0x307},
    {0x122, 'G', 0x327}, {0x123, 'g', 0x327}, {0x124, 'H', 0x302}, {0x125, 'h', 0x302}, {0x128, 'I', 0x303},
    {0x129, 'i', 0x303}, {0x12A, 'I', 0x304}, {0x12B, 'i', 0x304}, {0x12C, 'I', 0x306}, {0x12D, 'i', 0x306},
    {0x12E, 'I', 0x328}, {0x12F, 'i', 0x328}, {0x130, 'I', 0x307}, {0x134, 'J', 0x302}, {0x135, 'j', 0x302},
    {0x136, 'K', 0x327}, {0x137, 'k', 0x327}, {0x139, 'L', 0x301}, {0x13A, 'l', 0x301}, {0x13B, 'L', 0x327},
    {0x13C, 'l', 0x327}, {0x13D, 'L', 0x30C}, {0x13E, 'l', 0x30C}, {0x143, 'N', 0x301}, {0x144, 'n', 0x301},
    {0x145, 'N', 0x327}, {0x146, 'n', 0x327}, {0x147, 'N', 0x30C}, {0x148, 'n', 0x30C}, {0x14C, 'O', 0x304},
    {0x14D, 'o', 0x304}, {0x14E, 'O', 0x306}, {0x14F, 'o', 0x306}, {0x150, 'O', 0x30B}, {0x151, 'o', 0x30B},
    {0x154, 'R', 0x301}, {0x155, 'r', 0x301}, {0x156, 'R', 0x327}, {0x157, 'r', 0x327}, {0x158, 'R', 0x30C},
    {0x159, 'r', 0x30C}, {0x15A, 'S', 0x301}, {0x15B, 's', 0x301}, {0x15C, 'S', 0x302}, {0x15D, 's', 0x302},
    {0x15E, 'S', 0x327}, {0x15F, 's', 0x327}, {0x160, 'S', 0x30C}, {0x161, 's', 0x30C}, {0x162, 'T', 0x327},
    {0x163, 't', 0x327}, {0x164, 'T', 0x30C}, {0x165, 't', 0x30C}, {0x168, 'U', 0x303}, {0x169, 'u', 0x303},
    {0x16A, 'U', 0x304}, {0x16B, 'u', 0x304}, {0x16C, 'U', 0x306}, {0x16D, 'u', 0x306}, {0x16E, 'U', 0x30A},
    {0x16F, 'u', 0x30A}, {0x170, 'U', 0x30B}, {0x171, 'u', 0x30B}, {0x172, 'U', 0x328}, {0x173, 'u', 0x328},
    {0x174, 'W', 0x302}, {0x175, 'w', 0x302}, {0x176, 'Y', 0x302}, {0x177, 'y', 0x302}, {0x178, 'Y', 0x308},
    {0x179, 'Z', 0x301}, {0x17A, 'z', 0x301}, {0x17B, 'Z', 0x307}, {0x17C, 'z', 0x307}, {0x17D, 'Z', 0x30C},
    {0x17E, 'z', 0x30C},
};

bool is_blank(char32_t code) {
  return code == ' ' || code == '\t' || code == 0xA0 || (code >= 0x2000 && code <= 0x200A) || code == 0x202F ||
         code == 0x3000;
}

/// Returns whether a character joins others, or keeps them apart.
bool is_joiner(char32_t code) { return code == 0x200C || code == 0x200D; }

/// Returns whether a character formats others and has no width: direction marks, the byte order mark, the soft hyphen,
/// tags. These are the characters of Unicode's category Cf that cannot be seen, without joiners.
bool is_format(char32_t code) {
  return code == 0xAD || code == 0x61C || code == 0x180E || code == 0x200B || code == 0x200E || code == 0x200F ||
         (code >= 0x202A && code <= 0x202E) || (code >= 0x2060 && code <= 0x206F) || code == 0xFEFF ||
         (code >= 0xFFF9 && code <= 0xFFFB) || (code >= 0xE0000 && code <= 0xE007F);
}

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

/// Returns a small letter of Latin that looks like a letter of Cyrillic or Greek, or 0.
char latin_like(char32_t code) {
  struct Like {
    char32_t code;
    char latin;
  };
  constexpr Like kLike[] = {
      // capital letters, and the small ones that are not 0x20 after them
      {0x405, 's'}, {0x406, 'i'}, {0x408, 'j'}, {0x410, 'a'}, {0x412, 'b'}, {0x415, 'e'}, {0x41A, 'k'}, {0x41C, 'm'},
      {0x41D, 'h'}, {0x41E, 'o'}, {0x420, 'p'}, {0x421, 'c'}, {0x422, 't'}, {0x423, 'y'}, {0x425, 'x'}, {0x455, 's'},
      {0x456, 'i'}, {0x458, 'j'}, {0x391, 'a'}, {0x392, 'b'}, {0x395, 'e'}, {0x396, 'z'}, {0x397, 'h'}, {0x399, 'i'},
      {0x39A, 'k'}, {0x39C, 'm'}, {0x39D, 'n'}, {0x39F, 'o'}, {0x3A1, 'p'}, {0x3A4, 't'}, {0x3A5, 'y'}, {0x3A7, 'x'},
  };
  const bool is_small = (code >= 0x430 && code <= 0x44F) || (code >= 0x3B1 && code <= 0x3C9);
  const char32_t capital = is_small ? code - 0x20 : code;
  const auto* like =
      std::find_if(std::begin(kLike), std::end(kLike), [&](const Like& each) { return each.code == capital; });
  return like == std::end(kLike) ? '\0' : like->latin;
}

/// Returns what people write for a letter of Latin that Unicode does not decompose, or that only Vietnamese has; an
/// empty text for any other character.
std::string_view ascii_letters_for(char32_t code) {
  struct Letters {
    char32_t first;
    char32_t last;
    std::string_view letters;
  };
  constexpr Letters kLetters[] = {
      {0xC6, 0xC6, "ae"},    {0xD8, 0xD8, "o"},     {0xDF, 0xDF, "ss"},    {0xE6, 0xE6, "ae"},    {0xF8, 0xF8, "o"},
      {0x110, 0x111, "d"},   {0x131, 0x131, "i"},   {0x141, 0x142, "l"},   {0x152, 0x153, "oe"},  {0x1A0, 0x1A1, "o"},
      {0x1AF, 0x1B0, "u"},   {0x218, 0x219, "s"},   {0x21A, 0x21B, "t"},   {0x1EA0, 0x1EB7, "a"}, {0x1EB8, 0x1EC7, "e"},
      {0x1EC8, 0x1ECB, "i"}, {0x1ECC, 0x1EE3, "o"}, {0x1EE4, 0x1EF1, "u"}, {0x1EF2, 0x1EF9, "y"},
  };
  const auto* found = std::find_if(std::begin(kLetters), std::end(kLetters),
                                   [&](const Letters& each) { return code >= each.first && code <= each.last; });
  return found == std::end(kLetters) ? "" : found->letters;
}

bool is_letter(char c) { return c >= 'a' && c <= 'z'; }

/// Returns a text without blanks, hyphens and underscores, and without points, commas and apostrophes beside letters.
/// Those between two digits stay, because they tell numbers apart, and so does the sign of a number.
std::string joined(std::string_view text) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char before = i > 0 ? text[i - 1] : ' ';
    const char after = i + 1 < text.size() ? text[i + 1] : ' ';
    const bool of_numbers = is_digit(before) && is_digit(after);
    const bool is_sign = text[i] == '-' && before == ' ' && is_digit(after);
    const bool separates = (text[i] == ' ' || text[i] == '-' || text[i] == '_') && !of_numbers && !is_sign;
    const bool is_mark = text[i] == '.' || text[i] == ',' || text[i] == '\'';
    if (!separates && !(is_mark && (is_letter(before) || is_letter(after)))) result += text[i];
  }
  return result;
}

/// Returns the character of ASCII that a full-width one shows; the same character if it is no full-width one.
char32_t narrow(char32_t code) { return code >= 0xFF01 && code <= 0xFF5E ? code - 0xFF01 + '!' : code; }

/// Appends a character from U+0080 to U+07FF.
void append(std::string& text, std::uint16_t code) {
  text += static_cast<char>(0xC0U | (code >> 6U));
  text += static_cast<char>(0x80U | (code & 0x3FU));
}

}  // namespace

std::string same_look(std::string_view label) {
  std::string look;
  while (!label.empty()) {
    const auto [wide, bytes] = first_character(label);
    const char32_t code = narrow(wide);
    const std::string_view character = label.substr(0, bytes);
    label.remove_prefix(bytes);
    if (is_format(code) || is_joiner(code)) continue;
    if (is_blank(code)) {
      if (!look.empty() && look.back() != ' ') look += ' ';
      continue;
    }
    const auto* accented = std::lower_bound(std::begin(kAccented), std::end(kAccented), code,
                                            [](const Accented& each, char32_t wanted) { return each.letter < wanted; });
    if (accented != std::end(kAccented) && accented->letter == code) {
      look += lower(accented->base);
      append(look, accented->accent);
    } else {
      look += code < 0x80 ? std::string(1, lower(static_cast<char>(code))) : std::string(character);
    }
  }
  if (look.ends_with(' ')) look.pop_back();
  return look;
}

std::string plain_spelling(std::string_view label) {
  constexpr std::ptrdiff_t kFewestLetters = 2;  // of a word in which a digit may stand for a letter
  constexpr char32_t kDiaeresis = 0x308;
  const std::string look = same_look(label);
  std::string plain;
  for (std::string_view rest = look; !rest.empty();) {
    const auto [code, bytes] = first_character(rest);
    const std::string_view character = rest.substr(0, bytes);
    rest.remove_prefix(bytes);
    const bool is_umlaut = code == kDiaeresis && (plain.ends_with('a') || plain.ends_with('o') || plain.ends_with('u'));
    if (is_umlaut) {
      plain += 'e';
    } else if (code == 0xDF) {
      plain += "ss";
    } else if (const char latin = latin_like(code)) {
      plain += latin;
    } else {
      plain += character;
    }
  }
  plain = joined(plain);
  if (std::count_if(plain.begin(), plain.end(), is_letter) >= kFewestLetters) {
    std::replace(plain.begin(), plain.end(), '0', 'o');
    std::replace(plain.begin(), plain.end(), '1', 'l');
  }
  return plain;
}

std::string without_marks(std::string_view label) {
  std::string look = same_look(label);
  const auto is_ascii = [](char c) { return static_cast<unsigned char>(c) < 0x80; };
  if (std::all_of(look.begin(), look.end(), is_ascii)) return look;
  std::string plain;
  for (std::string_view rest = look; !rest.empty();) {
    const auto [code, bytes] = first_character(rest);
    if (code < 0x300 || code > 0x36F) {  // combining marks
      const std::string_view letters = ascii_letters_for(code);
      plain += letters.empty() ? rest.substr(0, bytes) : letters;
    }
    rest.remove_prefix(bytes);
  }
  return plain;
}

std::string bare_spelling(std::string_view label) { return joined(without_marks(label)); }

std::string like_glyphs(std::string_view label) {
  std::string glyphs;
  for (const char c : label) {
    const bool is_stroke = c == 'I' || c == 'l' || c == '1' || c == '|';
    glyphs += is_stroke ? 'l' : c == 'O' ? '0' : c;
  }
  return glyphs;
}

bool has_format_character(std::string_view text) {
  while (!text.empty()) {
    const auto [code, bytes] = first_character(text);
    if (is_format(code)) return true;
    text.remove_prefix(bytes);
  }
  return false;
}

}  // namespace longrun
