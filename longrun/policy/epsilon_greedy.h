#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "longrun/base/random.h"
#include "longrun/policy/lazy_argmax.h"
#include "longrun/policy/ledger.h"
#include "longrun/policy/parameters.h"
#include "longrun/policy/restriction.h"

namespace longrun {

/// Epsilon-greedy choice: with probability epsilon an arm drawn uniformly, else the arm with the largest mean reward,
/// lowest arm on ties. Every arm is pulled once first.
///
/// Epsilon is a constant, or decays as min(1, exploration K / t) for K arms and pull number t, which has logarithmic
/// regret if `exploration` is large enough for the difference between the best two arms (Auer, Cesa-Bianchi & Fischer
/// 2002: c/d^2 with a difference of at least d). A choice takes O(log arms). Rewards may be any numbers.
///
/// The draw is a function of seed, replicate and the pulls made so far, lost ones included. So a choice that is
/// cancelled leaves no trace. A lost pull counts in t and changes no mean. Restricted to some arms it acts as if there
/// were no others; with costs it compares means per unit of cost.
class EpsilonGreedy {
 public:
  /// Without `epsilon` it decays.
  EpsilonGreedy(const Setting& setting, std::optional<double> epsilon, double exploration);

  Arm choose();
  Arm choose(const Restriction& restriction);
  void observe(Arm arm, double reward);
  void lose(Arm arm) { ledger_.add_lost(arm); }

  void add_arm();
  void extend(Pulls pulls) { ledger_.extend(pulls); }

  template <class Visit>
  decltype(auto) visit_fields(Visit&& visit) {
    return visit(ledger_, sums_, means_);
  }

 private:
  /// Returns the position of the drawn arm among `arms` arms, or nullopt if this pull is not drawn.
  std::optional<std::size_t> drawn_of(std::size_t arms) const;

  std::optional<double> epsilon_;
  double exploration_;
  StreamKey stream_;
  Ledger ledger_;
  std::vector<double> sums_;  // by arm, of its rewards
  LazyArgmax means_;          // of the arms with a reward
};

inline constexpr Parameter kEpsilonGreedyEpsilon{
    .name = "epsilon",
    .meaning = "constant share of pulls that are drawn uniformly",
    .default_value = NoDefault{"the share of pull t is min(1, exploration arms / t)"},
    .minimum = 0,
    .maximum = 1};
inline constexpr Parameter kEpsilonGreedyExploration{
    .name = "exploration",
    .meaning = "pulls of every arm that are drawn before the share of drawn pulls decays",
    .default_value = 5.0,
    .minimum = 0,
    .maximum = 1e9};
inline constexpr Parameter kEpsilonGreedyParameters[] = {kEpsilonGreedyEpsilon, kEpsilonGreedyExploration};

EpsilonGreedy make_epsilon_greedy(const Setting& setting, const Parameters& parameters);

}  // namespace longrun
