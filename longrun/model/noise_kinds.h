#pragma once

#include <array>
#include <concepts>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

#include "longrun/base/random.h"
#include "longrun/base/types.h"

namespace longrun {

// The kinds of noise, one struct each. To add a kind, write a struct that satisfies NoiseKind and add it to the variant
// in noise.h: parsing, printing, help and the tests over all kinds follow from these members.

/// A parameter of a noise: a finite number >= 0, written after the kind and a colon.
template <class Kind>
struct NoiseField {
  double Kind::*value;
  std::string_view placeholder;  ///< in help: "SD" of "gaussian:SD"
  std::string_view meaning;      ///< in errors
  double example;
};

/// No noise: the observation is the mean reward.
struct NoNoise {
  bool operator==(const NoNoise&) const = default;

  static constexpr std::string_view kKind = "none";
  static constexpr std::array<NoiseField<NoNoise>, 0> kFields{};
  std::string phrase() const;
  double standard_deviation() const { return 0; }
  double largest_error() const { return 0; }
  double error_quantile(double) const { return 0; }
  void add(const StreamKey& key, Pulls first_pull, std::span<double> out) const;
};

/// Normal noise, unbounded.
struct Gaussian {
  double sd = 0;
  bool operator==(const Gaussian&) const = default;

  static constexpr std::string_view kKind = "gaussian";
  static constexpr std::array kFields{NoiseField<Gaussian>{&Gaussian::sd, "SD", "standard deviation", 0.05}};
  std::string phrase() const;
  double standard_deviation() const { return sd; }
  double largest_error() const;
  double error_quantile(double miss) const;
  void add(const StreamKey& key, Pulls first_pull, std::span<double> out) const;
};

/// Uniform noise on [-bound, bound].
struct Uniform {
  double bound = 0;
  bool operator==(const Uniform&) const = default;

  static constexpr std::string_view kKind = "uniform";
  static constexpr std::array kFields{NoiseField<Uniform>{&Uniform::bound, "BOUND", "bound", 0.1}};
  std::string phrase() const;
  double standard_deviation() const;
  double largest_error() const { return bound; }
  double error_quantile(double miss) const { return bound * (1 - miss); }
  void add(const StreamKey& key, Pulls first_pull, std::span<double> out) const;
};

/// A symmetric beta distribution stretched to [-bound, bound] with standard deviation `sd` < `bound`.
struct SymmetricBeta {
  double bound = 0;
  double sd = 0;
  bool operator==(const SymmetricBeta&) const = default;

  static constexpr std::string_view kKind = "beta";
  static constexpr std::array kFields{NoiseField<SymmetricBeta>{&SymmetricBeta::bound, "BOUND", "bound", 0.2},
                                      NoiseField<SymmetricBeta>{&SymmetricBeta::sd, "SD", "standard deviation", 0.05}};
  std::string_view problem() const;
  std::string phrase() const;
  double standard_deviation() const { return sd; }
  double largest_error() const { return bound; }
  double error_quantile(double miss) const;
  void add(const StreamKey& key, Pulls first_pull, std::span<double> out) const;

 private:
  double shape() const;
};

/// Student's t with 3 degrees of freedom, scaled to standard deviation `sd`: heavy tails.
struct StudentT {
  double sd = 0;
  bool operator==(const StudentT&) const = default;

  static constexpr std::string_view kKind = "student";
  static constexpr std::array kFields{NoiseField<StudentT>{&StudentT::sd, "SD", "standard deviation", 0.05}};
  std::string phrase() const;
  double standard_deviation() const { return sd; }
  double largest_error() const;
  double error_quantile(double miss) const;
  void add(const StreamKey& key, Pulls first_pull, std::span<double> out) const;
};

/// Binary rewards: the observation is 1 with the mean reward as its probability, else 0.
struct Bernoulli {
  bool operator==(const Bernoulli&) const = default;

  static constexpr std::string_view kKind = "bernoulli";
  static constexpr std::array<NoiseField<Bernoulli>, 0> kFields{};
  std::string phrase() const;
  double standard_deviation() const { return 0.5; }  ///< at mean 1/2, where it is largest
  double largest_error() const { return 1; }
  double error_quantile(double) const { return 1; }  ///< for a small miss hardly above the smallest, 1 - miss
  void add(const StreamKey& key, Pulls first_pull, std::span<double> out) const;
};

/// The members that every kind of noise needs; noise.h states what each function returns. A kind whose fields depend on
/// each other also has `std::string_view problem() const`, which returns what is invalid, or an empty text.
template <class Kind>
concept NoiseKind = std::equality_comparable<Kind> &&
    requires(const Kind& noise, const StreamKey& key, Pulls pull, std::span<double> out, double miss) {
  { Kind::kKind } -> std::convertible_to<std::string_view>;
  { Kind::kFields.size() } -> std::convertible_to<std::size_t>;
  { noise.phrase() } -> std::same_as<std::string>;
  { noise.standard_deviation() } -> std::same_as<double>;
  { noise.largest_error() } -> std::same_as<double>;
  { noise.error_quantile(miss) } -> std::same_as<double>;
  noise.add(key, pull, out);
  // Every member is a field; an empty struct has none.
  requires sizeof(Kind) == Kind::kFields.size() * sizeof(double) || (std::is_empty_v<Kind> && Kind::kFields.empty());
};

}  // namespace longrun
