#pragma once

#include <span>

#include "longrun/base/embedded_file.h"

namespace longrun {

/// The experiments of the paper, experiments/*.toml, in the order of its figures.
std::span<const EmbeddedFile> paper_experiments();

}  // namespace longrun
