#pragma once

#include <string>
#include <string_view>

namespace longrun {

/// Writes a file whole or not at all, in folders that are made where they are missing. Throws InputError with the path.
void write_file(const std::string& path, std::string_view text);

}  // namespace longrun
