#include "longrun/base/internal/number_lanes.h"

namespace longrun {

const NumberFunctions kNumbersPlain{
    .fill_uniform = fill_uniform, .make_normal = make_normal, .take_logarithms = take_logarithms};

}  // namespace longrun
