#pragma once

#include <string>
#include <string_view>

namespace longrun {

/// Returns the SHA-256 hash of the bytes, as 64 hexadecimal digits.
std::string sha256(std::string_view bytes);

}  // namespace longrun
