#include "longrun/experiment/version.h"

#include "longrun_source_hash.h"

namespace longrun {

std::string_view build_version() { return LONGRUN_VERSION "+" LONGRUN_SOURCE_HASH; }

}  // namespace longrun
