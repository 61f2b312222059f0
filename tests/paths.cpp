#include "tests/paths.h"

namespace longrun {

const char* const kSourceFolder = LONGRUN_SOURCE_DIR;
const char* const kBinary = LONGRUN_BINARY;

}  // namespace longrun
