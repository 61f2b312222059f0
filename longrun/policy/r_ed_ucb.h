#pragma once

#include <limits>
#include <vector>

#include "longrun/policy/index_policy.h"
#include "longrun/policy/parameters.h"

namespace longrun {

/// The index rule of R-ed-UCB (Metelli, Trovo, Pirola & Restelli, "Stochastic Rising Bandits", ICML 2022), for rising
/// arms: each arm's recent trend, extrapolated to the current time. With n rewards y_1 .. y_n of the arm, h = floor(eps
/// n), and t the number of the pull about to be made, the index is
///   (1/h) sum_{l=n-h+1..n} [ y_l + (t-l) (y_l - y_{l-h}) / h ]  +  sd (t-n+h-1) sqrt(10 ln(t^4) / h^3),
/// where sd is the noise's standard deviation. Each arm is pulled first until its h is above 0, that is ceil(1/eps)
/// times.
///
/// Running sums take O(1) per reward and per index, O(arms) per step. They need the arm's last 2h+1 rewards, which are
/// in a ring buffer with the larger of 8 and 4 (h+2) places at most: 2 eps to 4 eps stored rewards per pull of the arm.
///
/// t and n count rewards; lost pulls are left out.
class REdUcbRule {
 public:
  static constexpr bool kIndexMayGrow = true;

  REdUcbRule(const Setting& setting, double eps);

  Pulls initial_pulls() const { return initial_pulls_; }
  void observe(Arm arm, double reward, const Ledger& ledger);
  void prepare(const Ledger& ledger);
  double index(Arm arm, const Ledger&) const {
    const Forecast& forecast = forecasts_[static_cast<std::size_t>(arm)];
    const double ahead = time_ - forecast.rewards;
    return forecast.level + ahead * forecast.slope + bonus_ * (ahead + forecast.window - 1) * forecast.spread;
  }

  void add_arm() {
    recent_.emplace_back();
    forecasts_.emplace_back();
  }

  template <class Visit>
  decltype(auto) visit_fields(Visit&& visit) {
    return visit(recent_, forecasts_);
  }

 private:
  /// Recent rewards of an arm and their sums. The arm's first reward is subtracted from all of them. So the index of an
  /// arm whose reward does not change is exactly that reward, and ties between such arms remain ties.
  struct Recent {
    std::vector<double> ring;  // reward l at l modulo the size, which is a power of 2
    double first = 0;          // the arm's first reward
    Pulls window = 0;          // h
    double sum = 0;            // of y_l over the last h
    double growth = 0;         // sum of d_l = y_l - y_{l-h} over the last h
    double momentum = 0;       // sum of (n-l) d_l over the last h

    double at(Pulls pull) const { return ring[static_cast<std::size_t>(pull) & (ring.size() - 1)]; }
    double& at(Pulls pull) { return ring[static_cast<std::size_t>(pull) & (ring.size() - 1)]; }
    void reserve(Pulls rewards);
    void slide(Pulls rewards);
    void widen(Pulls rewards);
    void recompute_sums(Pulls rewards);

    template <class Visit>
    decltype(auto) visit_fields(Visit&& visit) {
      return visit(ring, first, window, sum, growth, momentum);
    }
  };
  /// The coefficients of the index as a function of t. While h is 0, the index is the lowest double.
  struct Forecast {
    double level = std::numeric_limits<double>::lowest();
    double slope = 0;
    double spread = 0;   // h^-1.5
    double rewards = 0;  // n
    double window = 0;   // h

    template <class Visit>
    decltype(auto) visit_fields(Visit&& visit) {
      return visit(level, slope, spread, rewards, window);
    }
  };

  Pulls window_of(Pulls rewards) const { return static_cast<Pulls>(eps_ * static_cast<double>(rewards)); }

  double eps_;
  double sd_;
  Pulls initial_pulls_;              // the smallest n with h > 0
  std::vector<Recent> recent_;       // by arm
  std::vector<Forecast> forecasts_;  // by arm
  double time_ = 0;                  // t, as of the last prepare()
  double bonus_ = 0;                 // sd sqrt(10 ln(t^4)), as of the last prepare()
};

using REdUcb = IndexPolicy<REdUcbRule>;

inline constexpr Parameter kREdUcbEps{
    .name = "eps",
    .meaning = "share of an arm's rewards, the latest, that its trend is computed from",
    .default_value = 0.25,
    .minimum = 1e-6,
    .maximum = 0.5};
inline constexpr Parameter kREdUcbParameters[] = {kREdUcbEps};

REdUcb make_r_ed_ucb(const Setting& setting, const Parameters& parameters);

}  // namespace longrun
