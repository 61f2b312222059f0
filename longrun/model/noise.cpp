#include "longrun/model/noise.h"

#include <fmt/format.h>

#include <boost/math/distributions/beta.hpp>
#include <boost/math/distributions/normal.hpp>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

#include "longrun/base/input_error.h"
#include "longrun/base/nearest_name.h"
#include "longrun/base/parse_number.h"
#include "longrun/base/split.h"

namespace longrun {
namespace {

template <class... Cases>
struct Overload : Cases... {
  using Cases::operator()...;
};
template <class... Cases>
Overload(Cases...) -> Overload<Cases...>;

/// Shape a of Beta(a, a) on [-bound, bound], whose variance is bound^2 / (2a + 1).
double beta_shape(const SymmetricBeta& noise) {
  const double ratio = noise.bound / noise.sd;
  return (ratio * ratio - 1) / 2;
}

/// Returns w with P(|error| > w) = 2 tail. For a smaller tail than Boost 1.74 computes without giving up or failing an
/// assertion, returns the bound, which no error exceeds.
double beta_quantile(const SymmetricBeta& noise, double tail) {
  constexpr double kSmallestTail = 1e-100;
  if (tail < kSmallestTail) return noise.bound;
  const boost::math::beta_distribution<> beta{beta_shape(noise), beta_shape(noise)};
  return noise.bound * (2 * boost::math::quantile(boost::math::complement(beta, tail)) - 1);
}

double scale_field(std::string_view noise, std::string_view field, std::string_view text) {
  const auto value = parse_number(text);
  if (!value || !std::isfinite(*value) || *value < 0) {
    throw InputError(fmt::format("noise '{}': {} '{}' is not a number >= 0", noise, field, text));
  }
  return *value;
}

/// Standard normals of Box and Muller: both numbers of a block, for pulls 2b+1 and 2b+2.
struct NormalPair {
  double first;
  double second;
};
NormalPair normal_pair(const StreamKey& key, std::uint64_t block) {
  const auto [a, b] = random_block(key, block);
  const double radius = std::sqrt(-2 * std::log(unit_interval(a)));
  const double angle = 2 * std::numbers::pi * unit_interval(b);
  return {radius * std::cos(angle), radius * std::sin(angle)};
}

/// Calls `apply(k, block, half)` for every out[k]: two consecutive pulls share a block, so `draw(block)` is asked once.
template <class Draw, class Apply>
void for_each_pair(Pulls first_pull, std::size_t count, Draw draw, Apply apply) {
  auto position = static_cast<std::uint64_t>(first_pull - 1);
  std::size_t k = 0;
  if (position % 2 == 1 && count > 0) {
    apply(k++, draw(position / 2).second);
    ++position;
  }
  for (; k + 1 < count; k += 2, position += 2) {
    const auto pair = draw(position / 2);
    apply(k, pair.first);
    apply(k + 1, pair.second);
  }
  if (k < count) apply(k, draw(position / 2).first);
}

struct UniformPair {
  double first;
  double second;
};
UniformPair uniform_pair(const StreamKey& key, std::uint64_t block) {
  const auto [a, b] = random_block(key, block);
  return {unit_interval(a), unit_interval(b)};
}

/// A symmetric beta on [-1, 1] from two uniforms, exactly: t / sqrt(2a + t^2) for a Student t with 2a degrees of
/// freedom, itself sqrt(2a (u^(-1/a) - 1)) cos(2 pi v) (Bailey 1994; Devroye 1996).
double symmetric_beta(double a, double u, double v) {
  const double cosine = std::cos(2 * std::numbers::pi * v);
  const double q = std::expm1(-std::log(u) / a) * cosine * cosine;
  return std::copysign(std::isinf(q) ? 1.0 : std::sqrt(q / (1 + q)), cosine);
}

constexpr double kDegrees = 3;
/// What Student's t is multiplied with: its own variance is degrees / (degrees - 2).
double student_scale(const StudentT& noise) { return noise.sd * std::sqrt((kDegrees - 2) / kDegrees); }
/// Student's t from two uniforms, exactly (Bailey 1994).
double student_t(double u, double v) {
  return std::sqrt(kDegrees * std::expm1(-2 / kDegrees * std::log(u))) * std::cos(2 * std::numbers::pi * v);
}

}  // namespace

Noise parse_noise(std::string_view text) {
  const std::vector<std::string_view> parts = split(text, ':');
  const std::string kind(parts[0]);
  const auto expect = [&](std::size_t count, std::string_view form) {
    if (parts.size() != count) throw InputError(fmt::format("noise '{}' should read {}", text, form));
  };
  if (kind == "none") return expect(1, "none"), NoNoise{};
  if (kind == "bernoulli") return expect(1, "bernoulli"), Bernoulli{};
  if (kind == "gaussian") {
    expect(2, "gaussian:SD, such as gaussian:0.05");
    return Gaussian{.sd = scale_field(text, "standard deviation", parts[1])};
  }
  if (kind == "student") {
    expect(2, "student:SD, such as student:0.05");
    return StudentT{.sd = scale_field(text, "standard deviation", parts[1])};
  }
  if (kind == "uniform") {
    expect(2, "uniform:BOUND, such as uniform:0.1");
    return Uniform{.bound = scale_field(text, "bound", parts[1])};
  }
  if (kind == "beta") {
    expect(3, "beta:BOUND:SD, such as beta:0.2:0.05");
    const SymmetricBeta beta{.bound = scale_field(text, "bound", parts[1]),
                             .sd = scale_field(text, "standard deviation", parts[2])};
    if (beta.sd < 1e-6 * beta.bound || beta.sd >= beta.bound) {
      throw InputError(fmt::format(
          "noise '{}': the standard deviation must lie between a millionth of the bound and the bound", text));
    }
    return beta;
  }
  const std::vector<std::string> kinds{"none", "gaussian", "uniform", "beta", "student", "bernoulli"};
  throw InputError(
      fmt::format("unknown noise '{}': use none, gaussian:SD, uniform:BOUND, beta:BOUND:SD, student:SD or bernoulli{}",
                  text, did_you_mean(kind, kinds)));
}

std::string to_text(const Noise& noise) {
  return std::visit(Overload{[](const NoNoise&) { return std::string("none"); },
                             [](const Gaussian& g) { return fmt::format("gaussian:{}", g.sd); },
                             [](const Uniform& u) { return fmt::format("uniform:{}", u.bound); },
                             [](const SymmetricBeta& b) { return fmt::format("beta:{}:{}", b.bound, b.sd); },
                             [](const StudentT& t) { return fmt::format("student:{}", t.sd); },
                             [](const Bernoulli&) { return std::string("bernoulli"); }},
                    noise);
}

double standard_deviation(const Noise& noise) {
  return std::visit(Overload{[](const NoNoise&) { return 0.0; }, [](const Gaussian& g) { return g.sd; },
                             [](const Uniform& u) { return u.bound / std::numbers::sqrt3; },
                             [](const SymmetricBeta& b) { return b.sd; }, [](const StudentT& t) { return t.sd; },
                             [](const Bernoulli&) { return 0.5; }},
                    noise);
}

double largest_error(const Noise& noise) {
  return std::visit(
      Overload{[](const NoNoise&) { return 0.0; },
               [](const Gaussian& g) { return g.sd == 0 ? 0.0 : std::numeric_limits<double>::infinity(); },
               [](const Uniform& u) { return u.bound; }, [](const SymmetricBeta& b) { return b.bound; },
               [](const StudentT& t) { return t.sd == 0 ? 0.0 : std::numeric_limits<double>::infinity(); },
               [](const Bernoulli&) { return 1.0; }},
      noise);
}

double error_quantile(const Noise& noise, double miss) {
  if (miss <= 0) return largest_error(noise);
  const double tail = miss / 2;  // on either side; complements keep the digits that 1 - tail would round away
  return std::visit(Overload{[](const NoNoise&) { return 0.0; },
                             [&](const Gaussian& g) {
                               if (g.sd == 0) return 0.0;
                               return g.sd *
                                      boost::math::quantile(boost::math::complement(boost::math::normal{}, tail));
                             },
                             [&](const Uniform& u) { return u.bound * (1 - miss); },
                             [&](const SymmetricBeta& b) { return beta_quantile(b, tail); },
                             [&](const StudentT& t) {
                               if (t.sd == 0) return 0.0;
                               const boost::math::students_t student(kDegrees);
                               return student_scale(t) * boost::math::quantile(boost::math::complement(student, tail));
                             },
                             // An observation of 0 or 1 can miss a mean near 1 or 0 by almost 1.
                             [](const Bernoulli&) { return 1.0; }},
                    noise);
}

std::string described(const Noise& noise) {
  struct Words {
    std::string operator()(const NoNoise&) const { return "no noise"; }
    std::string operator()(const Gaussian& g) const { return fmt::format("Gaussian noise, sd {}", g.sd); }
    std::string operator()(const Uniform& u) const { return fmt::format("uniform noise up to {}", u.bound); }
    std::string operator()(const SymmetricBeta& b) const {
      return fmt::format("beta noise up to {}, sd {}", b.bound, b.sd);
    }
    std::string operator()(const StudentT& t) const { return fmt::format("Student-t noise, sd {}", t.sd); }
    std::string operator()(const Bernoulli&) const { return "Bernoulli rewards"; }
  };
  return std::visit(Words{}, noise);
}

void add_noise(const Noise& noise, const StreamKey& key, Pulls first_pull, std::span<double> out) {
  const auto normals = [&](std::uint64_t block) { return normal_pair(key, block); };
  const auto uniforms = [&](std::uint64_t block) { return uniform_pair(key, block); };
  std::visit(Overload{[](const NoNoise&) {},
                      [&](const Gaussian& g) {
                        for_each_pair(first_pull, out.size(), normals,
                                      [&](std::size_t k, double z) { out[k] += g.sd * z; });
                      },
                      [&](const Uniform& u) {
                        for_each_pair(first_pull, out.size(), uniforms,
                                      [&](std::size_t k, double x) { out[k] += u.bound * (2 * x - 1); });
                      },
                      [&](const SymmetricBeta& b) {
                        const double shape = beta_shape(b);
                        for (std::size_t k = 0; k < out.size(); ++k) {
                          const auto block = static_cast<std::uint64_t>(first_pull - 1) + k;
                          const UniformPair pair = uniform_pair(key, block);
                          out[k] += b.bound * symmetric_beta(shape, pair.first, pair.second);
                        }
                      },
                      [&](const StudentT& t) {
                        const double scale = student_scale(t);
                        for (std::size_t k = 0; k < out.size(); ++k) {
                          const auto block = static_cast<std::uint64_t>(first_pull - 1) + k;
                          const UniformPair pair = uniform_pair(key, block);
                          out[k] += scale * student_t(pair.first, pair.second);
                        }
                      },
                      [&](const Bernoulli&) {
                        for_each_pair(first_pull, out.size(), uniforms,
                                      [&](std::size_t k, double x) { out[k] = x < out[k] ? 1 : 0; });
                      }},
             noise);
}

}  // namespace longrun
