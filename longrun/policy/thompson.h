#pragma once

#include <cstdint>
#include <vector>

#include "longrun/base/random.h"
#include "longrun/policy/index_policy.h"
#include "longrun/policy/parameters.h"

namespace longrun {

// Thompson sampling (Thompson 1933): every arm has a posterior of its mean reward, as if that did not change; one
// number is drawn from each, and the arm with the largest is pulled. Every arm is pulled once first, so an added arm is
// tried next.
//
// The number of arm i is a function of seed, replicate, i and the pulls made so far, lost and pending ones included. So
// a choice that is cancelled leaves no trace, and an arm's numbers do not depend on the other arms. If a pull is
// cancelled while later ones are pending, the next choice draws the numbers of the last of these again. A step takes
// O(arms), an arm O(1) memory.

/// The index rule of Thompson sampling for normal rewards with a known standard deviation sd and a flat prior, which is
/// asymptotically optimal (Korda, Kaufmann & Munos 2013): after n rewards with mean m the posterior is normal with mean
/// m and standard deviation sd / sqrt(n). sd is that of the noise; without noise the arm with the largest mean is
/// pulled. Rewards may be any numbers.
class GaussianThompsonRule {
 public:
  static constexpr bool kIndexMayGrow = true;

  GaussianThompsonRule(const Setting& setting, double sd);

  Pulls initial_pulls() const { return 1; }
  void observe(Arm arm, double reward, const Ledger& ledger);
  void prepare(const Ledger& ledger) { draw_ = static_cast<std::uint64_t>(ledger.tried()); }
  double index(Arm arm, const Ledger&) const;

  void add_arm() { posteriors_.emplace_back(); }

  template <class Visit>
  decltype(auto) visit_fields(Visit&& visit) {
    return visit(posteriors_);
  }

 private:
  /// The posterior of an arm.
  struct Posterior {
    double sum = 0;    // of the rewards
    double mean = 0;   // sum / n
    double error = 0;  // 1 / sqrt(n)

    template <class Visit>
    decltype(auto) visit_fields(Visit&& visit) {
      return visit(sum, mean, error);
    }
  };

  double sd_;
  StreamKey stream_;
  std::vector<Posterior> posteriors_;  // by arm
  std::uint64_t draw_ = 0;             // pulls made so far, as of the last prepare()
};

/// The index rule of Thompson sampling for Bernoulli rewards with a uniform prior, which is asymptotically optimal
/// (Kaufmann, Korda & Munos 2012): after s successes and f failures the posterior is Beta(1 + s, 1 + f).
///
/// A reward between 0 and 1 counts as a fraction of a success and the rest of a failure. The other usual way is a
/// Bernoulli trial with that probability (Agrawal & Goyal 2012): it has the same posterior on average, but adds noise
/// to every reward, so that decisions would also depend on the numbers drawn for trials. For rewards with less variance
/// than 0 or 1 the posterior is wider than necessary in both ways. Rewards outside [0, 1] count as the nearer end. If
/// all arms have the same noise, this does not change which arm is best, because a larger mean has larger rewards.
class BetaThompsonRule {
 public:
  static constexpr bool kIndexMayGrow = true;

  explicit BetaThompsonRule(const Setting& setting);

  Pulls initial_pulls() const { return 1; }
  void observe(Arm arm, double reward, const Ledger& ledger);
  void prepare(const Ledger& ledger) { draw_ = static_cast<std::uint64_t>(ledger.tried()); }
  double index(Arm arm, const Ledger&) const;

  void add_arm() { counts_.emplace_back(); }

  template <class Visit>
  decltype(auto) visit_fields(Visit&& visit) {
    return visit(counts_);
  }

 private:
  struct Counts {
    double successes = 0;  // sum of the rewards
    double failures = 0;   // sum of 1 - reward

    template <class Visit>
    decltype(auto) visit_fields(Visit&& visit) {
      return visit(successes, failures);
    }
  };

  StreamKey stream_;
  std::vector<Counts> counts_;  // by arm
  std::uint64_t draw_ = 0;      // pulls made so far, as of the last prepare()
};

using GaussianThompson = IndexPolicy<GaussianThompsonRule>;
using BetaThompson = IndexPolicy<BetaThompsonRule>;

inline constexpr Parameter kThompsonSd{.name = "sd",
                                       .meaning = "standard deviation of a reward about its mean",
                                       .default_value = NoDefault{"that of the noise"},
                                       .minimum = 0,
                                       .maximum = 1e9};
inline constexpr Parameter kGaussianThompsonParameters[] = {kThompsonSd};

GaussianThompson make_gaussian_thompson(const Setting& setting, const Parameters& parameters);
BetaThompson make_beta_thompson(const Setting& setting, const Parameters& parameters);

}  // namespace longrun
