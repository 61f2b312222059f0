#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <type_traits>
#include <vector>

#include "longrun/base/pair.h"
#include "longrun/base/random_numbers.h"
#include "longrun/policy/ledger.h"
#include "longrun/policy/parameters.h"
#include "longrun/policy/restriction.h"

namespace longrun {

/// EXP3 (Auer et al. 2002): draws arm i with probability p_i = (1 - gamma) w_i / sum w + gamma / N; a reward x of arm i
/// multiplies its weight w_i by exp(gamma x / (p_i N)). With restarts (R-EXP3, Besbes et al. 2019) all weights become
/// equal after every `restart_every` rewards.
///
/// Every choice is a new draw, so it needs no rewards of earlier choices. A reward is weighted by the arm's probability
/// at the time it arrives, even if the arm was not chosen: rewards of improbable arms have a large effect. A lost pull
/// changes nothing.
///
/// Restricted to some arms it draws from the conditional distribution given those arms (a single arm needs no draw),
/// and weights rewards as if it were not restricted. It ignores costs.
class Exp3 {
 public:
  static constexpr bool kDrawsEveryChoice = true;

  /// `restart_every` = 0 means no restarts.
  Exp3(const Setting& setting, double gamma, Pulls restart_every = 0);

  Arm choose() {
    const double u = next_uniform();
    const std::size_t last = weights_.size() - 1;
    if (last == 1) return static_cast<Arm>(u >= probabilities_[0]);  // no processor predicts a draw: not a branch
    double below = 0;
    for (std::size_t arm = 0; arm < last; ++arm) {
      below += probabilities_[arm];
      if (u < below) return static_cast<Arm>(arm);
    }
    return static_cast<Arm>(last);
  }
  Arm choose(const Restriction& restriction);
  void observe(Arm arm, double reward) {
    const auto i = static_cast<std::size_t>(arm);
    const double gain = gamma_ * reward / (probabilities_[i] * static_cast<double>(weights_.size()));
    if (gain != 0) {
      log_weights_[i] += gain;
      set_weight(i, std::exp(log_weights_[i] - reference_));
      // Limits of total_, far from overflow and underflow: beyond them the weights are rescaled, which is rare.
      constexpr double kLargestTotal = 1e100;
      constexpr double kSmallestTotal = 1e-100;
      if (!(total_ < kLargestTotal && total_ > kSmallestTotal)) rescale();
    }
    if (++rewards_ == restart_every_) restart();
  }
  void lose(Arm) {}

  /// Adds an arm with the mean of all log weights.
  void add_arm();
  void extend(Pulls) {}

  template <class Visit>
  decltype(auto) visit_fields(Visit&& visit) {
    return visit(draws_, rewards_, log_weights_, weights_, reference_, total_);
  }
  void after_load() { set_probabilities(); }

 private:
  /// Returns the next uniform number of stream_: the first one of its block. Blocks are computed 16 at once.
  double next_uniform() {
    std::uint64_t ahead = draws_ - first_ahead_;
    if (ahead >= kBlocksAhead) [[unlikely]] {
      uniform_numbers(stream_, draws_, uniform_);
      first_ahead_ = draws_;
      ahead = 0;
    }
    ++draws_;
    return uniform_[2 * ahead];
  }
  /// Changes the weight of an arm, and what depends on it.
  void set_weight(std::size_t arm, double weight) {
    total_ = 0;
    for_each_lanes(weights_.size(), [&]<class Lanes>(std::size_t first, Lanes) {
      const Lanes weights = with_lane(load_lanes<Lanes>(&weights_[first]), arm - first, weight);
      store_lanes(&weights_[first], weights);
      if constexpr (std::is_same_v<Lanes, Pair>) {
        total_ = total_ + weights[0] + weights[1];
      } else {
        total_ += weights;
      }
    });
    compute_probabilities();
  }
  void compute_probabilities() {
    for_each_lanes(weights_.size(), [&]<class Lanes>(std::size_t first, Lanes) {
      store_lanes(&probabilities_[first], (1 - gamma_) * load_lanes<Lanes>(&weights_[first]) / total_ + uniform_part_);
    });
  }
  /// Computes what follows from the number of arms, the weights and their sum.
  void set_probabilities() {
    uniform_part_ = gamma_ / static_cast<double>(weights_.size());
    probabilities_.resize(weights_.size());
    compute_probabilities();
  }
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
  double total_ = 0;                   // sum of weights_
  double uniform_part_ = 0;            // gamma / arms
  std::vector<double> probabilities_;  // by arm; they follow from weights_ and total_

  static constexpr std::size_t kBlocksAhead = 16;
  std::array<double, 2 * kBlocksAhead> uniform_{};     // both numbers of each block from first_ahead_ on
  std::uint64_t first_ahead_ = ~std::uint64_t{0} / 2;  // beyond any draw: no blocks yet
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
