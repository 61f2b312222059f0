#pragma once

#include <string_view>

namespace longrun {

extern const std::string_view kVersion;  ///< of the library, such as "0.1.0"

/// Returns the version that records carry: that of the library, and a hash of the sources that decide the results of
/// runs. Records of two such versions are not comparable.
std::string_view build_version();

}  // namespace longrun
