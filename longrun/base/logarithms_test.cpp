#include "longrun/base/logarithms.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

namespace longrun {
namespace {

/// Returns numbers from 2^-60 to the largest: many of each size, and those next to powers of two and to sqrt(2).
std::vector<double> numbers_of_every_size() {
  std::vector<double> numbers{std::numeric_limits<double>::max()};
  for (int exponent = -60; exponent < 1024; ++exponent) {
    for (const double significand : {1.0, std::sqrt(2.0), 1.1, 1.25, 1.7320508, 1.9, 1.99999}) {
      const double number = std::ldexp(significand, exponent);
      numbers.insert(numbers.end(), {number, std::nextafter(number, INFINITY)});
      if (number > 0x1p-60) numbers.push_back(std::nextafter(number, 0.0));
    }
  }
  for (int whole = 1; whole <= 100'000; ++whole) numbers.push_back(whole);
  for (int k = 1; k <= 100'000; ++k) numbers.push_back(0.5 + k * 1.1e-5);
  return numbers;
}

TEST(Logarithms, AreAccurateToOneUnitInTheLastPlace) {
  const std::vector<double> numbers = numbers_of_every_size();
  for (const VectorUnit unit : kVectorUnits) {
    if (!has_vector_unit(unit)) continue;
    std::vector<double> logarithms = numbers;
    take_logarithms(logarithms, unit);
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      const long double expected = std::log(static_cast<long double>(numbers[i]));
      const double size = std::abs(static_cast<double>(expected));
      const double last_place = std::nextafter(size, INFINITY) - size;
      ASSERT_LT(std::abs(static_cast<double>(logarithms[i] - expected)), last_place) << numbers[i];
    }
  }
}

TEST(Logarithms, HaveTheSameBitsWithEveryVectorUnitAndOnEveryMachine) {
  for (const VectorUnit unit : kVectorUnits) {
    if (!has_vector_unit(unit)) continue;
    std::vector<double> numbers(1'000'000);
    for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = 0.7 + 0.37 * static_cast<double>(i);
    take_logarithms(numbers, unit);
    std::uint64_t hash = 0xcbf29ce484222325U;
    for (const double number : numbers) hash = (hash ^ std::bit_cast<std::uint64_t>(number)) * 0x100000001b3U;
    EXPECT_EQ(hash, 7493096820479050630U) << "vector unit " << static_cast<int>(unit);
  }
}

TEST(Logarithms, DoNotDependOnHowManyAreComputedAtOnce) {
  std::vector<double> whole(40);
  for (std::size_t i = 0; i < whole.size(); ++i) whole[i] = 0.3 + 1.7 * static_cast<double>(i);
  const std::vector<double> numbers = whole;
  take_logarithms(whole);
  for (const VectorUnit unit : kVectorUnits) {
    if (!has_vector_unit(unit)) continue;
    for (std::size_t count = 0; count <= 20; ++count) {
      std::vector<double> part(numbers.begin(), numbers.begin() + static_cast<std::ptrdiff_t>(count) + 1);
      take_logarithms(std::span(part).first(count), unit);
      for (std::size_t i = 0; i < count; ++i) ASSERT_EQ(part[i], whole[i]);
      ASSERT_EQ(part[count], numbers[count]) << "written past the end";
    }
  }
}

}  // namespace
}  // namespace longrun
