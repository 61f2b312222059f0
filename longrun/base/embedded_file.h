#pragma once

#include <string_view>

namespace longrun {

/// A file that is compiled into the program by longrun_embed() of CMakeLists.txt.
struct EmbeddedFile {
  std::string_view name;
  std::string_view text;
};

}  // namespace longrun
