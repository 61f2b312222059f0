#pragma once

#include <string_view>

namespace longrun {

/// A file that is part of the program (longrun_embed() of CMakeLists.txt), which therefore needs none at run time.
struct EmbeddedFile {
  std::string_view name;
  std::string_view text;
};

}  // namespace longrun
