#pragma once

namespace longrun {

/// Returns the Kullback-Leibler divergence of the Bernoulli distribution with mean q from that with mean p, both in
/// [0, 1]: p ln(p/q) + (1-p) ln((1-p)/(1-q)), with 0 ln 0 = 0. It is infinite if q is 0 or 1 and p is not. For rewards
/// in [0, 1] with mean p it bounds how improbable an observed mean is (Hoeffding 1963).
double bernoulli_divergence(double p, double q);

/// Returns 1 - q for the largest q with bernoulli_divergence(mean, q) <= divergence, which must not be negative. Where
/// q rounds to 1, the result is still exact to some 15 digits. O(1): Newton's method, which approaches q from above
/// because the divergence is convex.
double rest_of_largest_mean(double mean, double divergence);

}  // namespace longrun
