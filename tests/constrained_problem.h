#pragma once

// Random problems with constraints, with every rule computed directly from its definition.
#include <algorithm>
#include <cmath>
#include <functional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "longrun/base/input_error.h"
#include "longrun/base/random.h"
#include "longrun/decide/feasible_constraints.h"
#include "longrun/model/bandit.h"

namespace longrun {

/// Random numbers for problems.
class Dice {
 public:
  explicit Dice(std::uint64_t seed) : bits_(seed) {}
  double unit() { return unit_interval(bits_()); }
  Pulls from(Pulls low, Pulls high) {
    return low + static_cast<Pulls>(bits_() % static_cast<std::uint64_t>(high - low + 1));
  }
  bool coin() { return bits_() % 2 == 0; }

 private:
  std::mt19937_64 bits_;
};

/// A problem, with every rule computed directly from its definition.
struct Problem {
  Arm arms = 1;
  Pulls horizon = 1;
  Constraints constraints;

  Pulls cost(Arm arm) const { return constraints.costs.at(arm); }
  Pulls largest_cost() const {
    Pulls largest = 0;
    for (Arm arm = 0; arm < arms; ++arm) largest = std::max(largest, cost(arm));
    return largest;
  }
  Pulls smallest_cost() const {
    Pulls smallest = cost(0);
    for (Arm arm = 1; arm < arms; ++arm) smallest = std::min(smallest, cost(arm));
    return smallest;
  }
  Pulls rounds() const {
    Pulls round = 1;
    while (round * constraints.units_per_round < horizon) ++round;
    return round;
  }
  Pulls granted(Pulls round) const { return std::min(horizon, round * constraints.units_per_round); }
  bool available(Arm arm, Pulls round) const {
    const auto unavailable = constraints.unavailable.find(arm);
    if (unavailable == constraints.unavailable.end()) return true;
    return std::none_of(unavailable->second.begin(), unavailable->second.end(),
                        [&](const RoundRange& range) { return range.from <= round && round <= range.to; });
  }
  /// Returns the pulls that an arm's share guarantees when `units` units have been spent.
  Pulls share_of(Arm arm, Pulls units) const {
    const double in_pulls = constraints.minimum_share.at(arm) * static_cast<double>(units - largest_cost() + 1) /
                            static_cast<double>(cost(arm));
    return std::max<Pulls>(0, static_cast<Pulls>(std::floor(in_pulls + 1e-9)));
  }
  Pulls least(Arm arm) const {
    Pulls units = 0;
    for (Pulls round = 1; round <= rounds(); ++round) {
      if (available(arm, round)) units += granted(round) - granted(round - 1);
    }
    return std::max(constraints.minimum_pulls.at(arm), share_of(arm, units));
  }
  /// Returns the units left in the round after `pulls`, where `before` are the pulls of the rounds before it.
  Pulls left(Pulls round, const std::vector<Pulls>& before, const std::vector<Pulls>& pulls) const {
    const Pulls gone = constraints.units_lapse ? granted(round - 1) + spent(pulls) - spent(before) : spent(pulls);
    return granted(round) - gone;
  }
  bool everything_available() const { return constraints.unavailable.empty(); }
  Pulls spent(const std::vector<Pulls>& pulls) const {
    Pulls units = 0;
    for (Arm arm = 0; arm < arms; ++arm) units += cost(arm) * pulls[static_cast<std::size_t>(arm)];
    return units;
  }
  bool shares_hold(const std::vector<Pulls>& pulls) const {
    for (Arm arm = 0; arm < arms; ++arm) {
      if (pulls[static_cast<std::size_t>(arm)] < share_of(arm, spent(pulls))) return false;
    }
    return true;
  }
  bool minima_hold(const std::vector<Pulls>& pulls) const {
    for (Arm arm = 0; arm < arms; ++arm) {
      if (pulls[static_cast<std::size_t>(arm)] < least(arm)) return false;
    }
    return true;
  }
  std::string text() const {
    std::string text = "arms " + std::to_string(arms) + " horizon " + std::to_string(horizon);
    for (const ConstraintField& field : kConstraintFields) {
      text += " " + std::string(field.name) + " '" + constraint_text(constraints, field.name) + "'";
    }
    return text;
  }
};

/// Returns a problem with any combination of constraints; some of them are infeasible.
inline Problem random_problem(Dice& dice, Pulls longest) {
  Problem problem{.arms = static_cast<Arm>(dice.from(1, 4)), .horizon = dice.from(1, longest), .constraints = {}};
  Constraints& constraints = problem.constraints;
  if (dice.coin()) constraints.units_per_round = dice.from(1, 5);
  const bool costs = dice.coin();
  const bool minima = dice.coin();
  const bool shares = dice.coin();
  const bool absences = dice.coin();
  if (!costs) constraints.units_lapse = dice.coin();
  double share_left = 1;
  for (Arm arm = 0; arm < problem.arms; ++arm) {
    if (costs) constraints.costs.named[arm] = dice.from(1, 3);
    if (minima && dice.coin()) constraints.minimum_pulls.named[arm] = dice.from(0, 1 + longest / 6);
    if (shares && dice.coin()) {
      const double share = dice.coin() ? share_left * dice.unit() : share_left;
      constraints.minimum_share.named[arm] = share;
      share_left -= share;
    }
    for (int absence = 0; absences && absence < 2; ++absence) {
      if (dice.coin()) continue;
      const Pulls from = dice.from(1, problem.rounds() + 1);
      constraints.unavailable[arm].push_back({from, dice.from(from, problem.rounds() + 2)});
    }
  }
  return problem;
}

inline bool feasible(const Problem& problem) {
  try {
    resolve_feasible(problem.constraints, problem.arms, problem.horizon);
    return true;
  } catch (const InputError&) {
    return false;
  }
}

/// Returns arms whose curves are single-peaked, rising, falling or none of these.
inline Bandit random_bandit(Dice& dice, Arm arms, Pulls horizon) {
  Bandit bandit{.name = "random", .arm_names = {}, .arms = {}, .recorded_noise = nullptr};
  const Pulls kind = dice.from(0, 3);
  for (Arm arm = 0; arm < arms; ++arm) {
    std::vector<double> rewards(static_cast<std::size_t>(horizon));
    for (double& reward : rewards) reward = dice.unit();
    const auto peak = rewards.begin() + (kind == 1 ? horizon : kind == 2 ? 0 : dice.from(0, horizon));
    if (kind > 0) std::sort(rewards.begin(), peak);
    if (kind > 0) std::sort(peak, rewards.end(), std::greater<>());
    bandit.arms.push_back(Curve::from_rewards(std::move(rewards)));
    bandit.arm_names.push_back(std::to_string(arm));
  }
  return bandit;
}

}  // namespace longrun
