#pragma once

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "longrun/base/random.h"
#include "longrun/policy/ledger.h"
#include "longrun/policy/parameters.h"
#include "longrun/policy/restriction.h"

namespace longrun {

/// EXP3 (Auer et al. 2002): draws arm i with probability p_i = (1 - gamma) w_i / sum w + gamma / N; a reward x of arm i
/// multiplies its weight w_i by exp(gamma x / (p_i N)). With restarts (R-EXP3, Besbes et al. 2019) all weights become
/// equal after every `restart_every` rewards.
///
/// Every choice is a new draw, so it needs no rewards of earlier choices. A reward is weighted by the arm's probability
/// at the time it arrives, also if the arm was not chosen: rewards of improbable arms have a large effect. A lost pull
/// changes nothing.
/// Restricted to some arms it draws from the conditional distribution given those arms (a single arm needs no draw),
/// and weights rewards as if it were not restricted. It ignores costs.
class Exp3 {
 public:
  static constexpr bool kDrawsEveryChoice = true;

  /// `restart_every` = 0 means no restarts.
  Exp3(const Setting& setting, double gamma, Pulls restart_every = 0);

  Arm choose();
  Arm choose(const Restriction& restriction);
  void observe(Arm arm, double reward);
  void lose(Arm) {}

  /// Adds an arm with the mean of all log weights.
  void add_arm();
  void extend(Pulls) {}

  template <class Visit>
  decltype(auto) visit_fields(Visit&& visit) {
    return visit(draws_, rewards_, log_weights_, weights_, reference_, total_);
  }

 private:
  double probability(std::size_t arm) const;
  void restart();
  void rescale();

  double gamma_;
  Pulls restart_every_;
  StreamKey stream_;
  std::uint64_t draws_ = 0;  // from stream_, so far
  Pulls rewards_ = 0;        // since the last restart
  // Weights are stored relative to exp(reference_), which rescale() updates. So they are finite at any horizon, and a
  // weight that underflows to 0 can become positive again.
  std::vector<double> log_weights_;  // by arm
  std::vector<double> weights_;      // by arm: exp(log weight - reference_)
  double reference_ = 0;
  double total_ = 0;  // sum of weights_
};

inline constexpr Parameter kExp3Gamma{.name = "gamma",
                                      .meaning = "share of pulls drawn uniformly, and the learning rate",
                                      .default_value = 0.01,
                                      .minimum = 0,
                                      .maximum = 1};
inline constexpr Parameter kExp3Parameters[] = {kExp3Gamma};

inline constexpr Parameter kRExp3Variation{.name = "variation",
                                           .meaning = "assumed total change of the rewards over the horizon",
                                           .default_value = 2.0,
                                           .minimum = 1e-9,
                                           .maximum = 1e9};
inline constexpr Parameter kRExp3Batch{
    .name = "batch",
    .meaning = "pulls between restarts",
    .default_value = DefaultFormula{"max(1, ceil((arms ln arms)^(1/3) (horizon/variation)^(2/3)))",
                                    [](const Setting& setting, const Parameters& parameters) {
                                      const auto arms = static_cast<double>(setting.arms);
                                      const double variation = parameters.get(kRExp3Variation, setting);
                                      const double ratio = static_cast<double>(setting.horizon) / variation;
                                      return std::max(
                                          1.0, std::ceil(std::cbrt(arms * std::log(arms)) * std::pow(ratio, 2.0 / 3)));
                                    }},
    .minimum = 1,
    .maximum = 1e15,
    .whole = true};
inline constexpr Parameter kRExp3Gamma{
    .name = kExp3Gamma.name,
    .meaning = kExp3Gamma.meaning,
    .default_value = DefaultFormula{"min(1, sqrt(arms ln arms / ((e-1) batch)))",
                                    [](const Setting& setting, const Parameters& parameters) {
                                      const auto arms = static_cast<double>(setting.arms);
                                      const double batch = parameters.get(kRExp3Batch, setting);
                                      return std::min(
                                          1.0, std::sqrt(arms * std::log(arms) / ((std::numbers::e - 1) * batch)));
                                    }},
    .minimum = 0,
    .maximum = 1};
inline constexpr Parameter kRExp3Parameters[] = {kRExp3Variation, kRExp3Batch, kRExp3Gamma};

Exp3 make_exp3(const Setting& setting, const Parameters& parameters);
Exp3 make_r_exp3(const Setting& setting, const Parameters& parameters);

}  // namespace longrun
