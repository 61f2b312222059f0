#pragma once

#include <string_view>

namespace longrun {

inline constexpr std::string_view kVersion = LONGRUN_VERSION;

/// What records are stamped with: the version, and a hash of the sources that decide what a run gives. Records of two
/// such versions are not to be mixed.
std::string_view build_version();

}  // namespace longrun
