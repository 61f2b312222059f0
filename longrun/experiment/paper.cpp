#include "longrun/experiment/paper.h"

namespace longrun {

std::span<const EmbeddedFile> embedded_arena();

const EmbeddedFile& arena_experiment() { return embedded_arena()[0]; }

}  // namespace longrun
