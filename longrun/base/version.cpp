#include "longrun/base/version.h"

#include "longrun_source_hash.h"

namespace longrun {

constinit const std::string_view kVersion = LONGRUN_VERSION;

std::string_view build_version() { return LONGRUN_VERSION "+" LONGRUN_SOURCE_HASH; }

}  // namespace longrun
