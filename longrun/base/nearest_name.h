#pragma once

#include <span>
#include <string>
#include <string_view>

namespace longrun {

/// The candidate with the smallest edit distance to `name`, or an empty string when none is close enough to be a typo.
std::string nearest_name(std::string_view name, std::span<const std::string> candidates);

/// "; did you mean 'x'?" for the nearest candidate, or an empty string: the tail of an error about an unknown name.
std::string did_you_mean(std::string_view name, std::span<const std::string> candidates);

}  // namespace longrun
