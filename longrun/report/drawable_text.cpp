#include "longrun/report/drawable_text.h"

#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <mutex>
#include <optional>
#include <utility>

namespace longrun {
namespace {

constexpr const char* kSquare = "\xE2\x96\xA1";  // U+25A1
constexpr char32_t kJoiner = 0x200D;
constexpr char32_t kFirstFlagLetter = 0x1F1E6;

struct Characters {
  char32_t first = 0;
  char32_t last = 0;
};

template <std::size_t count>
bool is_in(char32_t c, const std::array<Characters, count>& ranges) {
  for (const Characters& range : ranges) {
    if (range.first <= c && c <= range.last) return true;
  }
  return false;
}

// All of these are in DejaVu Sans and Liberation Sans, the fonts of the pictures.
constexpr std::array kInEveryFont{Characters{0x20, 0x7E},     Characters{0xA0, 0x17F},    Characters{0x391, 0x3A1},
                                  Characters{0x3A3, 0x3CE},   Characters{0x400, 0x45F},   Characters{0x2013, 0x2014},
                                  Characters{0x2018, 0x201A}, Characters{0x201C, 0x201E}, Characters{0x2026, 0x2026},
                                  Characters{0x20AC, 0x20AC}, Characters{0x25A1, 0x25A1}};
constexpr std::array kInvisible{Characters{0x200B, 0x200F},  Characters{0x2060, 0x2064},   Characters{0xFE00, 0xFE0F},
                                Characters{0xFEFF, 0xFEFF},  Characters{0x1F3FB, 0x1F3FF},  // colours of skin
                                Characters{0xE0000, 0xE01EF}};

struct Decoded {
  std::optional<char32_t> character;  // nullopt: not valid UTF-8
  std::size_t bytes = 1;
};

/// Decodes the character at the beginning of a text that is not empty.
Decoded decoded(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<std::uint32_t>(static_cast<unsigned char>(text[i])); };
  const std::uint32_t lead = byte(0);
  if (lead < 0x80) return {.character = lead};
  const std::size_t count = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (lead < 0xC2 || lead > 0xF4 || text.size() < count) return {};
  char32_t character = lead & (0x7FU >> count);
  for (std::size_t i = 1; i < count; ++i) {
    if ((byte(i) & 0xC0U) != 0x80U) return {};
    character = character << 6U | (byte(i) & 0x3FU);
  }
  constexpr std::array<char32_t, 5> kLeast{0, 0, 0x80, 0x800, 0x10000};
  const bool surrogate = character >= 0xD800 && character <= 0xDFFF;
  if (character < kLeast[count] || character > 0x10FFFF || surrogate) return {};
  return {.character = character, .bytes = count};
}

bool installed_font_has(char32_t character) {
  static std::mutex mutex;
  static std::map<char32_t, bool> known;
  const std::lock_guard lock(mutex);
  const auto [found, is_new] = known.try_emplace(character, false);
  if (is_new) {
    const std::string command =
        fmt::format("fc-list -q ':charset={:x}' >/dev/null 2>&1", static_cast<std::uint32_t>(character));
    found->second = std::system(command.c_str()) == 0;  // NOLINT(bugprone-command-processor)
  }
  return found->second;
}

}  // namespace

std::string drawable_text(std::string_view text, const std::function<bool(char32_t)>& has_font) {
  std::string result;
  bool joined = false;  // whether the next character is drawn together with the square before it
  bool square = false;  // whether the last character is a square
  for (std::size_t at = 0; at < text.size();) {
    const auto [character, bytes] = decoded(text.substr(at));
    const std::string_view written = text.substr(at, bytes);
    at += bytes;
    if (!character) {
      result += '?';
      joined = square = false;
      continue;
    }
    if (is_in(*character, kInvisible)) {
      joined = joined || (square && *character == kJoiner);
      continue;
    }
    const bool is_flag_letter = *character >= kFirstFlagLetter && *character < kFirstFlagLetter + 26;
    const bool shown =
        *character < 0x20 || is_in(*character, kInEveryFont) || (!is_flag_letter && has_font(*character));
    if (is_flag_letter) {
      result += static_cast<char>('A' + static_cast<int>(*character - kFirstFlagLetter));
    } else if (shown) {
      result += written;
    } else if (!joined) {
      result += kSquare;
    }
    square = !is_flag_letter && !shown;
    joined = false;
  }
  return result;
}

std::string drawable_text(std::string_view text) { return drawable_text(text, installed_font_has); }

}  // namespace longrun
