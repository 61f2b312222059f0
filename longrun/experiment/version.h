#pragma once

#include <string_view>

namespace longrun {

/// What records are stamped with: numbers of two versions are not to be mixed.
inline constexpr std::string_view kVersion = LONGRUN_VERSION;

}  // namespace longrun
