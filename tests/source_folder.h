#pragma once

#include <filesystem>

namespace longrun {

/// The folder of the repository.
inline const std::filesystem::path kSource = LONGRUN_SOURCE_DIR;

}  // namespace longrun
