#pragma once

#include <span>
#include <string>
#include <string_view>

namespace longrun {

/// Returns the candidate with the smallest edit distance to `name`, or an empty string if none is close enough to be a
/// typo: its distance must be at most 2 or half of the characters of `name`, whichever is more. A character that is
/// inserted, removed or replaced counts 1, and so do two neighbours that are exchanged.
std::string nearest_name(std::string_view name, std::span<const std::string> candidates);

/// Returns "; did you mean 'x'?" for the nearest candidate, or an empty string. For the end of an error about an
/// unknown name. Only the first thousand candidates are compared, so that an error about one of 100,000 arms costs
/// microseconds.
std::string did_you_mean(std::string_view name, std::span<const std::string> candidates);

}  // namespace longrun
