#pragma once

#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "longrun/base/random.h"
#include "longrun/base/types.h"
#include "longrun/model/noise_kinds.h"

namespace longrun {

/// A variant whose alternatives the compiler checks to be kinds of noise.
template <NoiseKind... Kinds>
using NoiseVariant = std::variant<Kinds...>;

/// The noise of a bandit: how observations differ from mean rewards.
using Noise = NoiseVariant<NoNoise, Gaussian, Uniform, SymmetricBeta, StudentT, Bernoulli>;

/// Reads a noise from its text: the kind, then its numbers after colons, such as "gaussian:0.05". Throws InputError if
/// the text is invalid.
Noise parse_noise(std::string_view text);
/// Returns the text that parse_noise() reads.
std::string to_text(const Noise& noise);

/// A noise as plain values, for languages without variants: the name of its kind, such as "gaussian", and the values of
/// the kind's fields, in their order.
struct NoiseFields {
  std::string kind;
  std::vector<double> values;
};
NoiseFields fields_of(const Noise& noise);
/// Returns the noise with these fields. Throws InputError, which does not name the noise, if they are invalid.
Noise noise_of(const NoiseFields& fields);
/// The largest value of a field. Rewards are in [0, 1], so this is far beyond any use, but a half-width of many
/// standard deviations is still a finite number.
inline constexpr double kLargestNoise = 1e100;

/// Returns the forms that parse_noise() reads, one per kind in the order of Noise: "none", "gaussian:SD" and so on.
std::vector<std::string> noise_forms();
/// Returns one noise of every kind, in the order of Noise.
std::vector<Noise> example_noises();

/// Returns the standard deviation; where it depends on the mean (Bernoulli), the largest one.
double standard_deviation(const Noise& noise);
/// Returns the largest possible |observation - mean|; infinite for unbounded noise.
double largest_error(const Noise& noise);
/// Returns a w with P(|observation - mean| > w) <= miss for every mean: the smallest one, except for Bernoulli noise,
/// for which it is largest_error(), and where the smallest cannot be computed (SymmetricBeta, tiny `miss`).
double error_quantile(const Noise& noise, double miss);

/// Returns a description for reports: "Gaussian noise, sd 0.05".
std::string described(const Noise& noise);

/// Adds noise to means: out[k] becomes the observation of pull first_pull + k, given out[k] = its mean on entry. The
/// result is a pure function of key and pull, so it does not depend on how pulls are split into calls.
void add_noise(const Noise& noise, const StreamKey& key, Pulls first_pull, std::span<double> out);

}  // namespace longrun
