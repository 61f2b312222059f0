#include "longrun/policy/statistics/bernoulli_divergence.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace longrun {
namespace {

/// Returns p ln(p/q).
double term(double p, double q) {
  if (p <= 0) return 0;
  return q > 0 ? p * std::log(p / q) : std::numeric_limits<double>::infinity();
}

}  // namespace

double bernoulli_divergence(double p, double q) {
  return std::max(0.0, term(p, q) + term(1 - p, 1 - q));  // rounding may give less than 0 if p is close to q
}

double rest_of_largest_mean(double mean, double divergence) {
  const double rest = 1 - mean;
  if (rest <= 0 || divergence <= 0) return std::max(0.0, rest);
  // Lower bounds. Without its summand -mean ln q >= 0 the divergence reaches the given one at:
  const double entropy = -term(mean, 1) - term(rest, 1);
  double r = std::exp(-(divergence + entropy) / rest);
  if (mean <= 0) return r;
  r = std::max(r, rest - std::sqrt(divergence / 2));  // Pinsker's inequality
  // The variance of a Bernoulli variable is below its mean: the divergence is at least (q - mean)^2 / (2 q).
  r = std::max(r, rest - divergence - std::sqrt(divergence * (divergence + 2 * mean)));
  constexpr int kMostSteps = 60;  // usually 3 to 6
  constexpr double kPrecision = 1e-15;
  for (int step = 0; step < kMostSteps && r > 0 && r < rest; ++step) {
    const double excess = mean * (std::log(mean) - std::log1p(-r)) + term(rest, r) - divergence;
    const double next = r + excess * r * (1 - r) / (rest - r);
    if (!(next > r * (1 + kPrecision))) break;
    r = std::min(next, rest);
  }
  return r;
}

}  // namespace longrun
