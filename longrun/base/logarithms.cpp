#include "longrun/base/logarithms.h"

#include "longrun/base/internal/number_functions.h"

namespace longrun {

void take_logarithms(std::span<double> numbers, VectorUnit unit) {
  number_functions(unit).take_logarithms(numbers.data(), numbers.size());
}

}  // namespace longrun
