#pragma once

#include <span>

#include "longrun/base/vector_unit.h"

namespace longrun {

/// Replaces every number by its natural logarithm. Requires finite numbers of at least 2^-60. The error is below 1 unit
/// in the last place.
///
/// Only operations are used that IEEE 754 rounds correctly, so the bits do not depend on processor, compiler or
/// mathematical library. Requires has_vector_unit(unit).
void take_logarithms(std::span<double> numbers, VectorUnit unit = widest_vector_unit());

}  // namespace longrun
