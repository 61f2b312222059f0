#pragma once

#include <string>
#include <string_view>

namespace longrun {

/// Returns what to write instead of a cell that is not a number, after the error that says so: "; write -167.19, with a
/// minus sign instead of parentheses" for "(167.19)". Empty if that is not clear. It knows amounts with a currency,
/// with separators of thousands, a decimal comma or both, the negative numbers of accounts, k and M for thousands and
/// millions, percentages, and words for yes and no.
std::string number_advice(std::string_view text);

}  // namespace longrun
