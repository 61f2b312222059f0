#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "longrun/base/types.h"
#include "longrun/model/constraints.h"

namespace longrun {

/// What constraints come to for so many arms and so many units of budget.
///
/// Because units keep, only an arm's last round matters for what is possible: whatever is to be spent on an arm can
/// wait until then. So there is a way to make n_i pulls of every arm if and only if, for every round r,
///   sum of cost_i n_i over all arms whose last round is r or earlier  <=  granted(r),
/// and the same inequality with what every arm still lacks says whether all minima can be met from where one is.
/// Where units lapse instead, it is a question of flow: from arms to the periods in which they are there.
class ResolvedConstraints {
 public:
  /// Throws InputError for constraints that name arms which do not exist, or that nobody could meet.
  ResolvedConstraints(const Constraints& constraints, Arm arms, Pulls horizon);

  Arm arms() const { return static_cast<Arm>(costs_.size()); }
  Pulls horizon() const { return horizon_; }  ///< in units
  Pulls rounds() const { return round_of(horizon_); }
  /// Units that rounds 1 to `round` bring.
  Pulls granted(Pulls round) const { return round >= rounds() ? horizon_ : round * units_per_round_; }
  /// The first round by whose end so many units have been granted.
  Pulls round_of(Pulls units) const { return (units - 1) / units_per_round_ + 1; }

  Pulls cost(Arm arm) const { return costs_[index(arm)]; }
  std::span<const Pulls> costs() const { return costs_; }
  bool costs_differ() const { return cheapest_ < dearest_; }
  /// No schedule makes more pulls.
  Pulls most_pulls() const { return most_pulls(horizon_); }
  Pulls most_pulls(Pulls units) const { return units / cheapest_; }

  bool available(Arm arm, Pulls round) const;
  /// The same of all arms.
  std::vector<bool> there(Pulls round) const;
  /// The last round in which the arm is there; 0 where it never is.
  Pulls last_round(Arm arm) const { return last_rounds_[index(arm)]; }

  bool units_lapse() const { return units_lapse_; }
  /// Stretches of rounds, from `round` on, in which the same arms are there; ascending.
  std::vector<RoundRange> periods(Pulls round) const;
  /// Whether so many pulls of each arm can still be made where units lapse, with `left` units in `round`.
  bool in_reach(std::span<const Pulls> lacking, Pulls round, Pulls left) const;

  Pulls minimum_pulls(Arm arm) const { return minimum_pulls_[index(arm)]; }
  /// Pulls that its share gives an arm by the end.
  Pulls share_pulls(Arm arm) const { return share_pulls_[index(arm)]; }
  bool has_shares() const { return has_shares_; }
  /// How often the arm is pulled by the end at least, for whatever reason.
  Pulls least_pulls(Arm arm) const { return std::max(minimum_pulls(arm), share_pulls(arm)); }
  /// Units spent when pull k of an arm with a share may at the earliest be asked for, and when it is due.
  Pulls share_release(Arm arm, Pulls pull) const;
  Pulls share_due(Arm arm, Pulls pull) const;

  /// The same with at least so many pulls of every arm, one number for each.
  ResolvedConstraints with_minimum(std::span<const Pulls> pulls) const;

 private:
  static std::size_t index(Arm arm) { return static_cast<std::size_t>(arm); }
  void check_feasible() const;
  void check_in_reach() const;
  Pulls granted_while_there(Arm arm) const;

  Pulls horizon_;
  Pulls units_per_round_;
  bool units_lapse_;
  Pulls cheapest_ = 1;
  Pulls dearest_ = 1;
  std::vector<Pulls> costs_;
  std::vector<Pulls> minimum_pulls_;
  std::vector<double> shares_;
  std::vector<Pulls> share_pulls_;
  bool has_shares_ = false;
  std::vector<std::vector<RoundRange>> away_;  // ascending, no two touch, none ends after the last round
  std::vector<Pulls> last_rounds_;
};

}  // namespace longrun
