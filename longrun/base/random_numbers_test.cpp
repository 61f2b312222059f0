#include "longrun/base/random_numbers.h"

#include <gtest/gtest.h>

#include <bit>
#include <boost/math/distributions/chi_squared.hpp>
#include <boost/math/distributions/normal.hpp>
#include <cmath>
#include <cstdint>
#include <vector>

namespace longrun {
namespace {

std::vector<VectorUnit> units_of_this_processor() {
  std::vector<VectorUnit> units;
  for (const VectorUnit unit : kVectorUnits) {
    if (has_vector_unit(unit)) units.push_back(unit);
  }
  return units;
}

constexpr StreamKey kKey{
    .seed = 0x123456789abcdef0U, .replicate = 77, .purpose = Purpose::future_noise, .lane = 0xfedcba98U};

TEST(VectorUnits, TheWidestIsOneOfThisProcessor) {
  EXPECT_TRUE(has_vector_unit(VectorUnit::plain));
  EXPECT_EQ(widest_vector_unit(), units_of_this_processor().back());
}

TEST(UniformNumbers, AreThoseOfTheirBlocksWithEveryVectorUnit) {
  for (const VectorUnit unit : units_of_this_processor()) {
    for (const std::uint64_t first : {std::uint64_t{0}, std::uint64_t{0xfffffffdU}, (std::uint64_t{1} << 56) - 50}) {
      for (std::size_t pairs = 0; pairs <= 40; ++pairs) {
        std::vector<double> numbers(2 * pairs + 1, -1);
        uniform_numbers(kKey, first, std::span(numbers).first(2 * pairs), unit);
        for (std::size_t k = 0; k < pairs; ++k) {
          const auto [u, v] = random_block(kKey, first + k);
          ASSERT_EQ(numbers[2 * k], unit_interval(u));
          ASSERT_EQ(numbers[2 * k + 1], unit_interval(v));
        }
        ASSERT_EQ(numbers.back(), -1) << "written past the end";
      }
    }
  }
}

/// Returns a hash of the numbers' bits (FNV-1a, by words).
std::uint64_t hash_of(const std::vector<double>& numbers) {
  std::uint64_t hash = 0xcbf29ce484222325U;
  for (const double number : numbers) hash = (hash ^ std::bit_cast<std::uint64_t>(number)) * 0x100000001b3U;
  return hash;
}

TEST(NormalNumbers, HaveTheSameBitsWithEveryVectorUnitAndOnEveryMachine) {
  for (const VectorUnit unit : units_of_this_processor()) {
    std::vector<double> numbers(1'000'000);
    normal_numbers(kKey, 12345, numbers, unit);
    EXPECT_EQ(hash_of(numbers), 3387967540832694857U) << "vector unit " << static_cast<int>(unit);
  }
}

TEST(NormalNumbers, DoNotDependOnHowManyAreComputedAtOnce) {
  for (const VectorUnit unit : units_of_this_processor()) {
    std::vector<double> whole(200);
    normal_numbers(kKey, 7, whole, unit);
    for (std::size_t pairs = 1; pairs <= 20; ++pairs) {
      std::vector<double> part(2 * pairs);
      for (std::size_t first = 0; first + pairs <= 100; first += pairs) {
        normal_numbers(kKey, 7 + first, part, unit);
        for (std::size_t i = 0; i < part.size(); ++i) ASSERT_EQ(part[i], whole[2 * first + i]);
      }
    }
  }
}

/// Expects that make_normal() has a small error for (u, v), compared with the library's functions in long double. The
/// angle is reduced exactly before its conversion to long double, as 2 pi v would lose digits near multiples of pi.
void expect_accurate(double u, double v) {
  constexpr long double kQuarterTurn = 1.570796326794896619231321691639751442L;
  const double quarters = std::nearbyint(4 * v);
  const long double angle = (4 * v - quarters) * kQuarterTurn;
  const long double cosines[] = {std::cos(angle), -std::sin(angle), -std::cos(angle), std::sin(angle)};
  const auto turn = static_cast<std::size_t>(quarters);
  const long double radius = std::sqrt(-2 * std::log(static_cast<long double>(u)));
  const long double expected[] = {radius * cosines[turn % 4], radius * cosines[(turn + 3) % 4]};
  for (const VectorUnit unit : units_of_this_processor()) {
    double found[] = {u, v};
    make_normal(found, unit);
    for (const std::size_t i : {0U, 1U}) {
      const double size = std::abs(static_cast<double>(expected[i]));
      const double last_place = std::nextafter(size, INFINITY) - size;
      ASSERT_LT(std::abs(static_cast<double>(found[i] - expected[i])), 4 * last_place) << "u " << u << ", v " << v;
    }
  }
}

TEST(NormalNumbers, AreAccurateToFourUnitsInTheLastPlaceAlsoInTheTails) {
  // The ends of the interval, the points where the exponent or the quarter turn changes, and points next to them.
  constexpr std::int64_t kWhole = std::int64_t{1} << 53;
  std::vector<std::int64_t> special{1, kWhole - 1, static_cast<std::int64_t>(std::sqrt(0.5) * 0x1p53)};
  for (std::int64_t eighth = kWhole / 8; eighth < kWhole; eighth += kWhole / 8) special.push_back(eighth);
  for (std::int64_t power = 2; power < kWhole; power *= 2) special.push_back(power);
  std::vector<double> points;
  for (const std::int64_t centre : special) {
    for (std::int64_t numerator = centre - 3; numerator <= centre + 3; ++numerator) {
      if (numerator > 0 && numerator < kWhole) points.push_back(std::ldexp(static_cast<double>(numerator), -53));
    }
  }
  for (const double u : points) {
    for (const double v : points) expect_accurate(u, v);
  }
  std::vector<double> uniform(20'000);
  uniform_numbers(kKey, 0, uniform);
  for (std::size_t i = 0; i < uniform.size(); i += 2) expect_accurate(uniform[i], uniform[i + 1]);
}

TEST(NormalNumbers, HaveTheNormalDistribution) {
  constexpr std::size_t kCount = 4'000'000;
  std::vector<double> numbers(kCount);
  normal_numbers({.seed = 1}, 0, numbers);
  const boost::math::normal normal;
  const auto share_above = [&](double z) { return boost::math::cdf(boost::math::complement(normal, z)); };

  // Chi-squared with cells of equal probability.
  constexpr std::size_t kCells = 1000;
  std::vector<double> found(kCells);
  for (const double z : numbers) {
    const auto cell = static_cast<std::size_t>(boost::math::cdf(normal, z) * kCells);
    found[std::min(cell, kCells - 1)] += 1;
  }
  const double expected = static_cast<double>(kCount) / kCells;
  double chi_squared = 0;
  for (const double count : found) chi_squared += (count - expected) * (count - expected) / expected;
  const boost::math::chi_squared distribution(kCells - 1);
  EXPECT_GT(chi_squared, boost::math::quantile(distribution, 1e-4));
  EXPECT_LT(chi_squared, boost::math::quantile(boost::math::complement(distribution, 1e-4)));

  // Both tails: the number beyond z is binomial.
  for (const double z : {2.0, 3.0, 4.0, 4.5, 5.0}) {
    double above = 0;
    double below = 0;
    for (const double x : numbers) {
      above += x > z ? 1 : 0;
      below += x < -z ? 1 : 0;
    }
    const double mean = static_cast<double>(kCount) * share_above(z);
    EXPECT_NEAR(above, mean, 4 * std::sqrt(mean)) << z;
    EXPECT_NEAR(below, mean, 4 * std::sqrt(mean)) << z;
  }

  // The two numbers of a pair, and their squares, are uncorrelated.
  double products = 0;
  double squares = 0;
  for (std::size_t i = 0; i < kCount; i += 2) {
    products += numbers[i] * numbers[i + 1];
    squares += (numbers[i] * numbers[i] - 1) * (numbers[i + 1] * numbers[i + 1] - 1);
  }
  const double pairs = 0.5 * static_cast<double>(kCount);
  EXPECT_NEAR(products / pairs, 0, 4 / std::sqrt(pairs));
  EXPECT_NEAR(squares / pairs, 0, 4 * 2 / std::sqrt(pairs));
}

}  // namespace
}  // namespace longrun
