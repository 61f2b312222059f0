#include "longrun/base/random_numbers.h"

#include "longrun/base/internal/number_functions.h"

namespace longrun {

void uniform_numbers(const StreamKey& key, std::uint64_t first_block, std::span<double> out, VectorUnit unit) {
  const PhiloxKey philox{.purpose = static_cast<std::uint32_t>(key.purpose) << 24,
                         .lane = key.lane,
                         .replicate = key.replicate,
                         .seed = key.seed};
  number_functions(unit).fill_uniform(philox, first_block, out.data(), out.size() / 2);
}

void make_normal(std::span<double> pairs, VectorUnit unit) {
  number_functions(unit).make_normal(pairs.data(), pairs.size() / 2);
}

void normal_numbers(const StreamKey& key, std::uint64_t first_block, std::span<double> out, VectorUnit unit) {
  uniform_numbers(key, first_block, out, unit);
  make_normal(out, unit);
}

}  // namespace longrun
