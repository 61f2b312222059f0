#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>

#include "longrun/base/random.h"
#include "longrun/base/types.h"

namespace longrun {

/// The observation is the mean reward itself.
struct NoNoise {};
/// Normal, unbounded.
struct Gaussian {
  double sd = 0;
};
/// Uniform on [-bound, bound].
struct Uniform {
  double bound = 0;
};
/// A symmetric beta distribution stretched to [-bound, bound] with standard deviation `sd` < `bound`.
struct SymmetricBeta {
  double bound = 0;
  double sd = 0;
};
/// Student's t with 3 degrees of freedom, scaled to this standard deviation: now and then far off.
struct StudentT {
  double sd = 0;
};
/// The observation is 1 with the mean reward as its probability, else 0.
struct Bernoulli {};

using Noise = std::variant<NoNoise, Gaussian, Uniform, SymmetricBeta, StudentT, Bernoulli>;

/// Reads "none", "gaussian:SD", "uniform:BOUND", "beta:BOUND:SD", "student:SD" or "bernoulli".
Noise parse_noise(std::string_view text);
/// The text parse_noise reads.
std::string to_text(const Noise& noise);

/// Standard deviation; the largest possible one (1/2) where it depends on the mean (Bernoulli).
double standard_deviation(const Noise& noise);
/// Largest possible |observation - mean|; infinite for Gaussian and Student's.
double largest_error(const Noise& noise);
/// The smallest w with P(|observation - mean| > w) <= miss, whatever the mean.
double error_quantile(const Noise& noise, double miss);

/// Returns a phrase for people: "Gaussian noise, sd 0.05".
std::string described(const Noise& noise);

/// Adds noise to means: out[k] becomes the observation of pull first_pull + k, given out[k] = its mean on entry. A pure
/// function of key and pull, so how the pulls are split into calls does not matter.
void add_noise(const Noise& noise, const StreamKey& key, Pulls first_pull, std::span<double> out);

}  // namespace longrun
