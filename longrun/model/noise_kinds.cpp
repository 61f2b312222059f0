#include "longrun/model/noise_kinds.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <boost/math/distributions/beta.hpp>
#include <boost/math/distributions/normal.hpp>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numbers>

#include "longrun/base/random_numbers.h"

namespace longrun {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr std::size_t kNumbersAtOnce = 64;  // even; a few vectors, so that they overlap

using FillNumbers = void (*)(const StreamKey&, std::uint64_t first_block, std::span<double> out, VectorUnit);

/// Calls `apply(k, number)` for every k < count, one number of `fill` per pull: pulls 2b+1 and 2b+2 share block b.
template <class Apply>
void for_each_number(FillNumbers fill, const StreamKey& key, Pulls first_pull, std::size_t count, Apply apply) {
  std::array<double, kNumbersAtOnce> numbers;
  auto position = static_cast<std::uint64_t>(first_pull - 1);
  for (std::size_t k = 0; k < count;) {
    const std::size_t begin = position % 2;
    const std::size_t end = std::min(begin + count - k, numbers.size());
    fill(key, position / 2, std::span(numbers).first(end + end % 2), widest_vector_unit());
    position += end - begin;
    for (std::size_t i = begin; i < end; ++i) apply(k++, numbers[i]);
  }
}

/// Calls `apply(k, u, v)` for every k < count, one block of two uniform numbers per pull.
template <class Apply>
void for_each_uniform_pair(const StreamKey& key, Pulls first_pull, std::size_t count, Apply apply) {
  std::array<double, kNumbersAtOnce> numbers;
  for (std::size_t k = 0; k < count;) {
    const std::size_t end = std::min(2 * (count - k), numbers.size());
    uniform_numbers(key, static_cast<std::uint64_t>(first_pull - 1) + k, std::span(numbers).first(end));
    for (std::size_t i = 0; i < end; i += 2) apply(k++, numbers[i], numbers[i + 1]);
  }
}

// Quantiles take the probability of one tail and use its complement, because 1 - tail would round small tails away.

}  // namespace

// ---- NoNoise

std::string NoNoise::phrase() const { return "no noise"; }

void NoNoise::add(const StreamKey&, Pulls, std::span<double>) const {}

// ---- Gaussian

std::string Gaussian::phrase() const { return fmt::format("Gaussian noise, sd {}", sd); }

double Gaussian::largest_error() const { return sd == 0 ? 0.0 : kInfinity; }

double Gaussian::error_quantile(double miss) const {
  if (sd == 0) return 0;
  return sd * boost::math::quantile(boost::math::complement(boost::math::normal{}, miss / 2));
}

void Gaussian::add(const StreamKey& key, Pulls first_pull, std::span<double> out) const {
  for_each_number(normal_numbers, key, first_pull, out.size(), [&](std::size_t k, double z) { out[k] += sd * z; });
}

// ---- Uniform

std::string Uniform::phrase() const { return fmt::format("uniform noise up to {}", bound); }

double Uniform::standard_deviation() const { return bound / std::numbers::sqrt3; }

void Uniform::add(const StreamKey& key, Pulls first_pull, std::span<double> out) const {
  for_each_number(uniform_numbers, key, first_pull, out.size(),
                  [&](std::size_t k, double u) { out[k] += bound * (2 * u - 1); });
}

// ---- SymmetricBeta

namespace {

constexpr double kSmallestSdPerBound = 1e-6;  // see problem()
/// Boost 1.74 computes no quantiles of much smaller probabilities: it gives up or fails an assertion.
constexpr double kSmallestMiss = 1e-100;

/// Returns a symmetric beta variate on [-1, 1] from two uniform ones, exactly: t / sqrt(2a + t^2) for a Student t with
/// 2a degrees of freedom, itself sqrt(2a (u^(-1/a) - 1)) cos(2 pi v) (Bailey 1994; Devroye 1996).
double symmetric_beta(double a, double u, double v) {
  const double cosine = std::cos(2 * std::numbers::pi * v);
  const double q = std::expm1(-std::log(u) / a) * cosine * cosine;
  return std::copysign(std::isinf(q) ? 1.0 : std::sqrt(q / (1 + q)), cosine);
}

}  // namespace

std::string_view SymmetricBeta::problem() const {
  if (sd >= kSmallestSdPerBound * bound && sd < bound) return "";
  return "the standard deviation must lie between a millionth of the bound and the bound";
}

std::string SymmetricBeta::phrase() const { return fmt::format("beta noise up to {}, sd {}", bound, sd); }

/// Returns the shape a of Beta(a, a) on [-bound, bound], whose variance is bound^2 / (2a + 1).
double SymmetricBeta::shape() const {
  const double ratio = bound / sd;
  return (ratio * ratio - 1) / 2;
}

double SymmetricBeta::error_quantile(double miss) const {
  if (miss < kSmallestMiss) return bound;  // which no error exceeds
  const boost::math::beta_distribution<> beta{shape(), shape()};
  try {
    return bound * (2 * boost::math::quantile(boost::math::complement(beta, miss / 2)) - 1);
  } catch (const boost::math::evaluation_error&) {  // root finding failed
    return bound;
  }
}

void SymmetricBeta::add(const StreamKey& key, Pulls first_pull, std::span<double> out) const {
  const double a = shape();
  for_each_uniform_pair(key, first_pull, out.size(),
                        [&](std::size_t k, double u, double v) { out[k] += bound * symmetric_beta(a, u, v); });
}

// ---- StudentT

namespace {

constexpr double kDegrees = 3;

/// Returns the factor that scales Student's t, whose own variance is degrees / (degrees - 2), to a standard deviation.
double student_scale(double sd) { return sd * std::sqrt((kDegrees - 2) / kDegrees); }

/// Returns a variate of Student's t from two uniform ones, exactly (Bailey 1994).
double student_t(double u, double v) {
  return std::sqrt(kDegrees * std::expm1(-2 / kDegrees * std::log(u))) * std::cos(2 * std::numbers::pi * v);
}

}  // namespace

std::string StudentT::phrase() const { return fmt::format("Student-t noise, sd {}", sd); }

double StudentT::largest_error() const { return sd == 0 ? 0.0 : kInfinity; }

double StudentT::error_quantile(double miss) const {
  if (sd == 0) return 0;
  const boost::math::students_t student(kDegrees);
  return student_scale(sd) * boost::math::quantile(boost::math::complement(student, miss / 2));
}

void StudentT::add(const StreamKey& key, Pulls first_pull, std::span<double> out) const {
  const double scale = student_scale(sd);
  for_each_uniform_pair(key, first_pull, out.size(),
                        [&](std::size_t k, double u, double v) { out[k] += scale * student_t(u, v); });
}

// ---- Bernoulli

std::string Bernoulli::phrase() const { return "Bernoulli rewards"; }

void Bernoulli::add(const StreamKey& key, Pulls first_pull, std::span<double> out) const {
  for_each_number(uniform_numbers, key, first_pull, out.size(),
                  [&](std::size_t k, double u) { out[k] = u < out[k] ? 1 : 0; });
}

}  // namespace longrun
