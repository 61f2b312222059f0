#pragma once

#include "tests/environment_variable.h"
#include "tests/scratch.h"

namespace longrun {

/// A scope in which PATH names a folder that does not exist, so that no program is found.
class NoPrograms {
  EnvironmentVariable path_{"PATH", scratch_path("no/programs")};
};

}  // namespace longrun
