#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace longrun {

/// The largest number of columns of a line that wrapped() makes.
inline constexpr std::size_t kTextColumns = 100;

/// Returns the text with every `from`, which must not be empty, replaced by `to`. Replacements are not searched again.
std::string replaced(std::string text, std::string_view from, std::string_view to);

/// Returns whether the bytes are valid UTF-8.
bool is_utf8(std::string_view bytes);

/// Returns what keeps a text from being a name or an id of one line, to follow "it": "is not UTF-8", "has a control
/// character or a line break", "begins or ends with a space"; empty if nothing does. Readers of tables remove spaces
/// around a cell, so two names that differ only there would be the same.
std::string_view problem_of_name(std::string_view text);

/// Returns the number of characters in a UTF-8 text.
std::size_t columns_of(std::string_view text);

/// Returns the text with the letters A to Z in lower case.
std::string lower_case(std::string text);

/// Returns the text with its first letter, if that is one of a to z, in upper case.
std::string capitalised(std::string text);

/// Returns a share or a probability as text: "97 %", "over 99 %" or "under 1 %".
std::string share_text(double share);

/// Breaks a UTF-8 text at spaces into lines of at most kTextColumns characters, each but the first after `indent`. A
/// longer word has a line of its own. The last line has no line break at its end.
std::string wrapped(std::string_view text, std::string_view indent = "");

/// Returns the sentences as one paragraph, wrapped.
std::string paragraph(const std::vector<std::string>& sentences);

}  // namespace longrun
