#pragma once

#include <span>

#include "longrun/base/embedded_file.h"

namespace longrun {

/// The experiments of the paper, experiments/*.toml, in the order of its figures.
std::span<const EmbeddedFile> paper_experiments();

/// experiments/arena.toml: families of noisy bandits that policies are judged on.
const EmbeddedFile& arena_experiment();

}  // namespace longrun
