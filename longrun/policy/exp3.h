#pragma once

#include <vector>

#include "longrun/base/random.h"
#include "longrun/policy/ledger.h"
#include "longrun/policy/parameters.h"
#include "longrun/policy/restriction.h"

namespace longrun {

/// EXP3 (Auer et al. 2002): draws arm i with probability p_i = (1 - gamma) w_i / sum w + gamma / N; a reward x of arm i
/// multiplies its weight by exp(gamma x / (p_i N)). With restarts, all weights are equal again after every
/// `restart_every` rewards (R-EXP3, Besbes et al. 2019).
///
/// Outside the play loop every suggestion is a fresh draw, pulls in flight or not. A reward is weighed by the arm's
/// probability at the time it comes back, also when the arm was not suggested: rewards of arms that this policy hardly
/// ever draws count for much.
/// Restricted to some arms it draws from its distribution given that it is one of those (one arm alone takes no draw),
/// and weighs rewards as if it had not been restricted. It takes no account of costs.
class Exp3 {
 public:
  Exp3(const Setting& setting, double gamma, Pulls restart_every = 0);

  Arm choose();
  Arm choose(const Restriction& among);
  void observe(Arm arm, double reward);

 private:
  double probability(std::size_t arm) const;
  void restart();
  void rescale();

  double gamma_;
  Pulls restart_every_;
  StreamKey coin_;
  std::uint64_t draws_ = 0;
  Pulls rewards_ = 0;
  // Weights are exp(log_weight - reference), kept in range by moving the reference: finite at any horizon, and an arm
  // far behind can still catch up.
  std::vector<double> log_weights_;
  std::vector<double> weights_;
  double reference_ = 0;
  double total_ = 0;
};

Exp3 make_exp3(const Setting& setting, const Parameters& parameters);
Exp3 make_r_exp3(const Setting& setting, const Parameters& parameters);

inline constexpr Parameter kExp3Parameters[] = {
    {"gamma", "share of pulls drawn blindly, and the learning rate (0.01)", 0, 1}};
inline constexpr Parameter kRExp3Parameters[] = {
    {"variation", "V, how much the rewards may change over the horizon (2)", 1e-9, 1e9},
    {"batch", "pulls between restarts (ceil((N ln N)^(1/3) (horizon/V)^(2/3)))", 1, 1e15, true},
    {"gamma", "as for exp3 (min(1, sqrt(N ln N / ((e-1) batch))))", 0, 1}};

}  // namespace longrun
