#include "longrun/base/random.h"

#include <Random123/philox.h>

namespace longrun {

std::array<std::uint64_t, 2> random_block(const StreamKey& key, std::uint64_t index) {
  using Generator = r123::Philox4x32;
  const auto low = [](std::uint64_t x) { return static_cast<std::uint32_t>(x); };
  const auto high = [](std::uint64_t x) { return static_cast<std::uint32_t>(x >> 32); };
  const auto purpose = static_cast<std::uint32_t>(key.purpose) << 24;
  const Generator::ctr_type counter{{low(index), high(index) | purpose, key.lane, key.replicate}};
  const Generator::key_type philox_key{{low(key.seed), high(key.seed)}};
  const Generator::ctr_type bits = Generator{}(counter, philox_key);
  const auto join = [](std::uint32_t a, std::uint32_t b) { return std::uint64_t{a} << 32 | b; };
  return {join(bits[0], bits[1]), join(bits[2], bits[3])};
}

}  // namespace longrun
