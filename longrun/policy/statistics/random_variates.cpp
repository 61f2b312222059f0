#include "longrun/policy/statistics/random_variates.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "longrun/base/random_numbers.h"

namespace longrun {
namespace {

/// The blocks of a stream that belong to one beta variate. All its pairs are rejected with a probability below 3^-64.
constexpr std::uint64_t kBlocksPerBeta = 64;
constexpr double kLog4 = 2 * std::numbers::ln2;
constexpr double kLog5 = 1.6094379124341003;

}  // namespace

double normal_variate(const StreamKey& stream, std::uint64_t index) {
  std::array<double, 2> pair{};
  normal_numbers(stream, index, pair);
  return pair[0];
}

double beta_variate(const StreamKey& stream, std::uint64_t index, double a, double b) {
  const std::uint64_t first = index * kBlocksPerBeta;
  if (a == 1 || b == 1) {  // the distribution function is a power: 1 - (1 - x)^b or x^a
    const double u = unit_interval(random_block(stream, first)[0]);
    return a == 1 ? -std::expm1(std::log(u) / b) : std::exp(std::log(u) / a);
  }
  const double smaller = std::min(a, b);
  const double larger = std::max(a, b);
  const double sum = a + b;
  const double scale = std::sqrt((sum - 2) / (2 * a * b - sum));
  const double rate = smaller + 1 / scale;
  for (std::uint64_t block = first; block < first + kBlocksPerBeta; ++block) {
    const auto [bits, more_bits] = random_block(stream, block);
    const double u = unit_interval(bits);
    const double v = scale * std::log(u / (1 - u));
    const double w = smaller * std::exp(v);
    const double z = u * u * unit_interval(more_bits);
    const double r = rate * v - kLog4;
    // The first condition implies the second, without its logarithms.
    const bool accepted = smaller + r - w + 1 + kLog5 >= 5 * z || r + sum * std::log(sum / (larger + w)) >= std::log(z);
    if (accepted) return (a == smaller ? w : larger) / (larger + w);
  }
  return a / sum;
}

}  // namespace longrun
