// Compiled for processors with AVX-512, see longrun/CMakeLists.txt; called only on those.
#include "longrun/base/internal/number_lanes.h"

namespace longrun {

const NumberFunctions kNumbersAvx512{
    .fill_uniform = fill_uniform, .make_normal = make_normal, .take_logarithms = take_logarithms};

}  // namespace longrun
